// "What should I use?": of the contenders that meet the needs, those that no other is known to be better than.
// A figure is [estimate, low, high] adjusted for its blocks, and the same as it is; null as an end: it may reach any further.
// Last, on how many machines it disagrees. A question of several machines has these in the place of blocks.
(() => {
  const { needs, figures, questions } = JSON.parse(document.getElementById("choice-data").textContent);
  const [places, matters, found, answers, more] = ["needs", "figures", "found", "answers", "more"].map((id) => document.getElementById(id));
  const STEP = 20;
  const MOST_ROWS = 100;
  const MOST_PAIRED = 50;
  const MOST_PAIRS = 10;
  const PERCENT = 10;
  // By kind, what is said of pairs in which no difference is open.
  const DECIDED = {
    choice: "each of the two is better in one figure. No measurement decides that: it is your choice.",
    unsure: "one of the two is better, if it meets your needs (“?”).",
    circle: "one of the two beats the other, and is beaten by it through others: they go round in a circle.",
    alike: "no difference that matters in any figure.",
  };
  const chosen = new URLSearchParams(location.hash.slice(1));
  let shown = STEP;
  let visible = [];

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  const written = (value) => (value === null ? "any" : value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3));

  // What is chosen
  const limitOf = (name) => (chosen.get(name) ? Number(chosen.get(name)) : NaN);
  const differenceOf = (figure) => {
    const percent = chosen.get(`matters ${figure.name}`) ?? (figure.matters ? `${PERCENT}` : "");
    return percent === "" || percent === "no" ? NaN : Number(percent);
  };
  const choose = (key, value) => {
    if (value === "") chosen.delete(key);
    else chosen.set(key, value);
    history.replaceState(null, "", `#${chosen}`);
    shown = STEP;
    draw();
  };
  const numberInput = (value, attributes, change) => {
    const input = make("input", { type: "number", min: "0", step: "any", value, ...attributes });
    input.addEventListener("input", () => input.validity.valid && change(input.value));
    return input;
  };
  needs.forEach((need, place) => {
    const present = questions.flatMap((question) => question.contenders.map((each) => each[3][place]));
    const values = [...new Set([...present, ...(chosen.get(need) ? [chosen.get(need)] : [])])].sort();
    if (values.length < 2) return;
    const select = make("select", {}, make("option", { value: "" }, "any"), ...values.map((value) => make("option", { value }, value)));
    select.value = chosen.get(need) ?? "";
    select.addEventListener("change", () => choose(need, select.value));
    places.append(make("label", {}, need, select));
  });
  for (const figure of figures) {
    const key = `${figure.more ? "at least" : "at most"} ${figure.name}`;
    places.append(make("label", {}, key, numberInput(chosen.get(key) ?? "", { placeholder: "any" }, (value) => choose(key, value))));
    figure.limit = key;
    const difference = differenceOf(figure);
    const percent = numberInput(Number.isNaN(difference) ? PERCENT : difference, { "aria-label": `least difference of ${figure.name}, %` }, () => set());
    const box = make("input", { type: "checkbox" });
    box.checked = !Number.isNaN(difference);
    const set = () => choose(`matters ${figure.name}`, box.checked ? percent.value || "0" : "no");
    box.addEventListener("change", set);
    matters.append(make("div", { class: "weight" }, make("label", {}, box, figure.name), make("span", {}, percent, " %")));
  }

  // The method: all of it on logarithms, turned round where less is better, so that more is always better.
  const aligned = (figure, more) => {
    if (figure === null) return null;
    const [estimate, low, high] = figure.slice(0, 3).map((value) => (value === null ? Infinity : Math.log(value)));
    return more ? { estimate, low, high } : { estimate: -estimate, low: -high, high: -low };
  };
  const meets = (figure, more, limit) => {
    if (Number.isNaN(limit)) return "yes";
    if (figure === null) return "perhaps";
    const [low, high] = [figure[4], figure[5] ?? Infinity];
    if (more ? low >= limit : high <= limit) return "yes";
    return (more ? high < limit : low > limit) ? "no" : "perhaps";
  };
  // From -Infinity to Infinity: how much better `a` is than `b`, a logarithm.
  const between = (a, b) => [a.low - b.high, a.high - b.low];
  const ratio = ([low, high]) => `${written(Math.exp(low))} to ${high === Infinity ? "any" : written(Math.exp(high))} times as good`;
  const isBetter = (a, b, wanted) => {
    let better = false;
    for (const { place, difference } of wanted) {
      const least = a.at[place].low - b.at[place].high;
      if (!(least >= -difference)) return false;
      better ||= least > difference;
    }
    return better;
  };
  // Whom a search along `beats` reaches from `starts` among the others, each with the one before it; and the rest.
  const follow = (starts, others, beats) => {
    const reached = new Map();
    let rest = others;
    for (const queue = [...starts]; queue.length && rest.length; ) {
      const each = queue.shift();
      rest = rest.filter((other) => {
        if (!beats(each, other)) return true;
        reached.set(other, each);
        queue.push(other);
        return false;
      });
    }
    return { reached, rest };
  };
  // Left out is who is beaten, directly or through others, by one whom it does not so beat in turn. "More than this better,
  // no more than that worse" is not transitive: it can go round in a circle, of which nobody leaves out another.
  const leaveOut = (contenders, able, wanted) => {
    const beats = (a, b) => a !== b && a.sure && isBetter(a, b, wanted);
    const behind = (starts, others) => {
      const { reached, rest } = follow(starts, others, beats);
      for (const [each, by] of reached) each.by = by;
      return rest;
    };
    const [first, others] = [[], []];
    for (const each of contenders) (able.some((other) => beats(other, each)) ? others : first).push(each);
    let rest = behind(first, others);
    while (rest.length) {
      // Whoever beats the last start is in its circle: an earlier search that came to them would have come to it, too.
      let last;
      for (let unseen = rest; unseen.length; ) {
        last = unseen[0];
        unseen = follow([last], unseen.slice(1), beats).rest;
      }
      const circle = follow([last], rest.filter((each) => each !== last), (a, b) => beats(b, a));
      rest = behind([last, ...circle.reached.keys()], circle.rest);
    }
  };
  const pairOf = (a, b, wanted, narrow) => {
    let [mine, yours, open, blocks] = [false, false, [], 0];
    for (const { place, difference, name } of wanted) {
      const [x, y] = [a.at[place], b.at[place]];
      const [low, high] = between(x, y);
      mine ||= low > difference;
      yours ||= high < -difference;
      if (low > difference || high < -difference || (low >= -difference && high <= difference)) continue;
      const middle = Math.abs(x.estimate - y.estimate);
      const needed = narrow.find(([, share]) => ((high - low) / 2) * share < Math.abs(middle - difference));
      open.push(`${name} ${ratio([low, high])}`);
      blocks = Math.max(blocks, needed ? needed[0] : Infinity);
    }
    const better = [[a, b], [b, a]].find((pair) => isBetter(...pair, wanted))?.[0];
    const kind = mine && yours ? "choice" : better ? (better.sure ? "circle" : "unsure") : open.length ? "open" : "alike";
    return { a, b, open, blocks, kind };
  };
  const answer = (question, wanted) => {
    const out = { needs: 0, others: [] };
    const contenders = [];
    for (const [name, page, stack, traits, reason, values, note] of question.contenders) {
      if (needs.some((need, place) => chosen.get(need) && chosen.get(need) !== traits[place])) out.needs += 1;
      else if (reason) out.others.push({ name, page, reason });
      else {
        const missing = wanted.filter(({ place }) => values[place] === null).map((figure) => figure.name);
        const met = figures.map((figure, place) => meets(values[place], figure.more, limitOf(figure.limit)));
        if (met.includes("no")) out.needs += 1;
        else if (missing.length) out.others.push({ name, page, reason: `no ${missing.join(", no ")} that can be compared${note ? `; ${note}` : ""}` });
        else contenders.push({ name, page, stack, values, note, met, sure: !met.includes("perhaps"), at: values.map((value, place) => aligned(value, figures[place].more)) });
      }
    }
    const enough = question.blocks >= question.least && wanted.length > 0;
    // Whoever leads in the first figure beats most others: they are tried first.
    const able = enough ? contenders.filter((each) => each.sure).sort((a, b) => b.at[wanted[0].place].estimate - a.at[wanted[0].place].estimate) : [];
    leaveOut(contenders, able, wanted);
    contenders.sort((a, b) => a.name.localeCompare(b.name));
    return { question, out, enough, left: contenders.filter((each) => !each.by), gone: contenders.filter((each) => each.by) };
  };

  // What is shown
  const link = (each) => make("a", { href: each.page }, each.name);
  const tableOf = (rows, wanted, last) => {
    const heads = ["contender", ...wanted.map(({ name }) => name), ...(last ? ["better"] : [])];
    const head = heads.map((title, place) => make("th", { scope: "col", ...(place === 0 || title === "better" ? { class: "text" } : {}) }, title));
    const body = rows.slice(0, MOST_ROWS).map((each) => {
      const cells = wanted.map(({ place, name }) => {
        const [estimate, low, high, odd] = each.values[place].slice(3);
        const disagrees = odd ? `; ${count(odd, "machine")} disagree${odd === 1 ? "s" : ""}` : "";
        return make("td", { "data-label": name }, written(estimate), make("small", {}, `${written(low)} to ${written(high)}${disagrees}`));
      });
      if (last) {
        const ratios = wanted.map(({ place, name }) => `${name} ${ratio(between(each.by.at[place], each.at[place]))}`);
        cells.push(make("td", { class: "text wrap reason", "data-label": "better" }, link(each.by), make("small", {}, ratios.join("; "))));
      }
      const doubts = figures.filter((_, place) => each.met[place] === "perhaps").map(({ limit }) => limit);
      const remarks = [...(doubts.length ? [`? ${doubts.join(", ")}`] : []), ...(each.note ? [each.note] : [])];
      const name = make("th", { scope: "row" }, link(each), ...remarks.map((words) => make("small", {}, words)));
      return make("tr", {}, name, ...cells);
    });
    const rest = rows.length > MOST_ROWS ? [make("p", { class: "hint" }, `${count(rows.length - MOST_ROWS, "more")}: not shown`)] : [];
    return [make("div", { class: "scroll" }, make("table", { class: "cards listing" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body))), ...rest];
  };
  const unitOf = (question) => (question.machines > 1 ? "machine" : "block");
  // On further machines it is the experiment as it is locked: with all of its contenders.
  const commandFor = (question, contenders, blocks) => question.machines > 1
    ? make("pre", {}, `fairtrial run ${question.experiment}  # on ${blocks} machines in all: the same file, programs and versions`)
    : make("pre", {}, `fairtrial run ${question.experiment}${[...new Set(contenders.map((each) => ` --stack ${each.stack}`))].join("")} --blocks ${blocks}${question.experiment === "FILE.toml" ? "  # FILE.toml: the file of this experiment" : ""}`);
  const apart = ({ question, enough, left }, wanted) => {
    if (left.length < 2 || !wanted.length) return [];
    if (!enough) {
      return [make("p", {}, `Nothing can be told apart: that takes ${question.least} ${unitOf(question)}s at least, and there are ${question.blocks}.`), commandFor(question, left.slice(0, MOST_PAIRED), question.least)];
    }
    if (left.length > MOST_PAIRED) return [make("p", {}, `Of more than ${MOST_PAIRED} contenders no pairs are listed: set more needs.`)];
    const pairs = left.flatMap((a, place) => left.slice(place + 1).map((b) => pairOf(a, b, wanted, question.narrow)));
    const open = pairs.filter(({ kind }) => kind === "open").sort((a, b) => a.blocks - b.blocks);
    const parts = Object.entries(DECIDED).flatMap(([kind, words]) => {
      const number = pairs.filter((each) => each.kind === kind).length;
      return number ? [make("p", {}, `${count(number, "pair")}: ${words}`)] : [];
    });
    if (!open.length) return parts;
    const lines = open.slice(0, MOST_PAIRS).map(({ a, b, open: words, blocks }) =>
      make("li", {}, `${a.name} against ${b.name}: ${words.join("; ")}. ${blocks === Infinity ? `Not even 200 ${unitOf(question)}s would be sure to decide it.` : `About ${blocks} ${unitOf(question)}s.`}`));
    parts.push(make("p", {}, `${count(open.length, "pair")} undecided${open.length > MOST_PAIRS ? `; the nearest ${MOST_PAIRS}` : ""}:`), make("ul", {}, ...lines));
    const decidable = open.filter(({ blocks }) => blocks !== Infinity);
    if (decidable.length) {
      const of = new Set(decidable.flatMap(({ a, b }) => [a, b]));
      parts.push(commandFor(question, left.filter((each) => of.has(each)), decidable.at(-1).blocks));
    }
    return parts;
  };
  const section = (result, wanted) => {
    const { question, out, left, gone } = result;
    const many = question.machines > 1;
    const sources = question.of.map(([title, page, began, machine, record]) => [
      make("a", { href: page }, title), ` · ${began} · ${machine} · `,
      make("a", { href: record, "aria-label": `record of ${title}, ${began}` }, "record"),
    ]);
    const on = question.blocks < question.machines ? `${question.blocks} or more of ${count(question.machines, "machine")}` : count(question.machines, "machine");
    const unfit = out.needs ? ` · ${out.needs.toLocaleString("en")} not what you need` : "";
    const lines = out.others.slice(0, MOST_ROWS).map((each) => make("li", {}, link(each), `: ${each.reason}`));
    const closer = apart(result, wanted);
    return make(
      "section",
      {},
      make("h2", {}, question.asked),
      make("p", { class: "hint" }, ...(many ? ["pooled: the machine is the unit; for one of them alone, choose it above"] : [...sources[0], ` · ${count(question.blocks, "block")}`]), unfit),
      ...(many ? [make("details", { class: "hint" }, make("summary", {}, count(question.of.length, "run")), make("ul", {}, ...sources.map((source) => make("li", {}, ...source))))] : []),
      make("p", { class: "answer" }, `${left.length.toLocaleString("en")} of ${count(left.length + gone.length, "contender")}, on ${on}`),
      ...(left.length ? tableOf(left, wanted) : []),
      ...(closer.length ? [make("details", {}, make("summary", {}, "What would tell them apart"), ...closer)] : []),
      ...(gone.length ? [make("details", {}, make("summary", {}, `Left out: ${gone.length.toLocaleString("en")}`), ...tableOf(gone, wanted, true))] : []),
      ...(lines.length ? [make("details", {}, make("summary", {}, `Not compared: ${out.others.length.toLocaleString("en")}`), make("ul", {}, ...lines))] : []),
    );
  };
  const draw = () => {
    const wanted = figures.flatMap((figure, place) => {
      const percent = differenceOf(figure);
      return Number.isNaN(percent) ? [] : [{ place, name: figure.name, difference: Math.log1p(percent / 100) }];
    });
    const all = questions.filter(({ part }) => !part || chosen.get("machine")).map((question) => answer(question, wanted));
    const size = ({ left, gone }) => left.length + gone.length;
    const rank = (each) => Math.min(size(each), 2);
    visible = all.filter((each) => size(each) || each.out.others.length).sort((a, b) => rank(b) - rank(a)).map((result) => [result, wanted]);
    const left = visible.reduce((sum, [result]) => sum + result.left.length, 0);
    const sure = wanted.length ? "" : " No figure matters, so that none is left out.";
    found.textContent = `${count(visible.length, "question")} with ${count(left, "contender")} left. Figures of different questions cannot be compared: other work, another load, run or machine.${sure}`;
    answers.replaceChildren();
    append(0);
  };
  const append = (from) => {
    answers.append(...visible.slice(from, shown).map(([result, wanted]) => section(result, wanted)));
    more.hidden = shown >= visible.length;
  };
  more.addEventListener("click", () => {
    shown += STEP;
    append(shown - STEP);
  });
  draw();
})();
