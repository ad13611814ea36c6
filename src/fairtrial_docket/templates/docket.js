// A table of many rows: filters by value and by words, sorts by figures. What is chosen stands in the address.
(() => {
  const { columns, rows } = JSON.parse(document.getElementById("table-data").textContent);
  const [table, filters, found, more] = ["table", "filters", "found", "more"].map((id) => document.getElementById(id));
  const STEP = 100;
  const text = (cell) => (Array.isArray(cell) ? cell[0] : cell);
  const number = (cell) => (Array.isArray(cell) ? cell[3] : undefined);
  const words = rows.map((row) => row.map((cell) => (Array.isArray(cell) ? `${cell[0]} ${cell[1]}` : cell)).join(" ").toLowerCase());
  const chosen = new URLSearchParams(location.hash.slice(1));
  let shown = STEP;
  let matching = [];

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const choose = (key, value) => {
    if (value) chosen.set(key, value);
    else chosen.delete(key);
    history.replaceState(null, "", `#${chosen}`);
    shown = STEP;
    draw();
  };

  const search = make("input", { type: "search", value: chosen.get("q") ?? "" });
  search.addEventListener("input", () => choose("q", search.value));
  filters.append(make("label", {}, "words", search));
  columns.forEach(([title, use], place) => {
    if (use !== "choice") return;
    // With that of the address, which may be of an older docket: what is chosen can be seen and taken back.
    const values = [...new Set([...rows.map((row) => text(row[place])), ...(chosen.get(title) ? [chosen.get(title)] : [])])].sort();
    if (values.length < 2) return;
    const select = make("select", {}, make("option", { value: "" }, "any"));
    for (const value of values) select.append(make("option", { value }, value));
    select.value = chosen.get(title) ?? "";
    select.addEventListener("change", () => choose(title, select.value));
    filters.append(make("label", {}, title, select));
  });

  const head = make("tr");
  columns.forEach(([title, use]) => {
    const cell = make("th", { scope: "col", ...(use === "number" ? {} : { class: "text" }) });
    if (use === "number") {
      const button = make("button", { type: "button" }, title);
      button.addEventListener("click", () => choose("sort", chosen.get("sort") === title ? `-${title}` : title));
      cell.append(button);
    } else cell.append(title);
    head.append(cell);
  });
  const body = make("tbody");
  table.append(make("thead", {}, head), body);

  const COLOURED = { verdict: "word", outcome: "outcome" };
  const cellOf = (cell, [title, use], first) => {
    const [content, small, address] = Array.isArray(cell) ? cell : [cell];
    const kind = COLOURED[title];
    const told = kind ? make("span", { class: `${kind} ${content.replaceAll(" ", "-")}` }, content) : content;
    const element = first
      ? make("th", { scope: "row" })
      : make("td", { "data-label": title, ...(use === "number" ? {} : { class: "text wrap" }) });
    element.append(address ? make("a", { href: address }, content) : told);
    if (small) element.append(make("small", {}, small));
    return element;
  };

  const draw = () => {
    const wanted = (chosen.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const tests = columns.flatMap(([title, use], place) => (use === "choice" && chosen.get(title) ? [[place, chosen.get(title)]] : []));
    matching = [...rows.keys()].filter(
      (row) => tests.every(([place, value]) => text(rows[row][place]) === value) && wanted.every((word) => words[row].includes(word)),
    );
    const sort = chosen.get("sort") ?? "";
    const by = columns.findIndex(([title]) => title === sort.replace(/^-/, ""));
    if (by >= 0) {
      const sign = sort.startsWith("-") ? 1 : -1; // the largest first; rows without a figure are last
      const value = (row) => number(rows[row][by]);
      matching.sort((a, b) => (value(a) === undefined) - (value(b) === undefined) || sign * (value(a) - value(b)) || a - b);
    }
    [...head.children].forEach((cell, place) => {
      if (place === by) cell.setAttribute("aria-sort", sort.startsWith("-") ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    });
    body.replaceChildren();
    append(0);
  };
  const append = (from) => {
    for (const row of matching.slice(from, shown)) {
      body.append(make("tr", {}, ...rows[row].map((cell, place) => cellOf(cell, columns[place], place === 0))));
    }
    const visible = Math.min(shown, matching.length);
    found.textContent = `${visible.toLocaleString("en")} of ${matching.length.toLocaleString("en")} rows shown; ${rows.length.toLocaleString("en")} in all`;
    more.hidden = shown >= matching.length;
  };
  more.addEventListener("click", () => {
    shown += STEP;
    append(shown - STEP);
  });
  draw();
})();
