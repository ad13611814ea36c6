// Runs in a page whose iframes each hold one report at one width. Writes what it measures, as JSON, into `#layouts`.

const LONGEST_WORD = 24; // in letters: what is longer, such as a command, may break

/** Words of an element that are broken over lines or stick out of the element. Hyphens may end a line. */
function brokenWords(element) {
  const document = element.ownerDocument;
  const right = element.getBoundingClientRect().right + 1;
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    for (const word of node.data.matchAll(/[^\s-]+/g)) {
      if (word[0].length > LONGEST_WORD) continue;
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const boxes = [...range.getClientRects()];
      const lines = new Set(boxes.map((box) => Math.round(box.top)));
      if (lines.size > 1 || boxes.some((box) => box.right > right)) broken.push(word[0]);
    }
  }
  return broken;
}

function measure(frame) {
  const { contentWindow: window, contentDocument: document } = frame;
  for (const details of document.querySelectorAll("details")) details.open = true;
  const edges = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { text: element.textContent.trim(), left, right, top, bottom };
  };
  return {
    width: window.innerWidth,
    page_width: document.documentElement.scrollWidth,
    charts: document.querySelectorAll(".chart").length,
    labels: [...document.querySelectorAll("[role=graphics-document]")].map((chart) => chart.getAttribute("aria-label")),
    displays: [...document.querySelectorAll("tbody tr")].map((row) => getComputedStyle(row).display),
    drawn: document.querySelectorAll(".chart.drawn svg").length,
    charts_with_labels_outside: [...document.querySelectorAll("figure")].flatMap((figure) => {
      const frame = edges(figure);
      const title = edges(figure.querySelector("h3"));
      const caption = edges(figure.querySelector("figcaption"));
      const outside = ({ left, right, top, bottom }) =>
        left < frame.left || right > frame.right || top < title.bottom || bottom > caption.top;
      return [...figure.querySelectorAll("svg text")].map(edges).filter(outside).map(({ text }) => `${title.text}: ${text}`);
    }),
    scrolling_tables: [...document.querySelectorAll(".scroll")]
      .filter((place) => place.scrollWidth > place.clientWidth)
      .map((place) => place.querySelector("table").className),
    conditions: [...document.querySelectorAll(".conditions tbody tr")].map((row) => ({
      name: row.querySelector("th").firstChild.data.trim(),
      cells: [...row.querySelectorAll(".goodput, .reason, .result")].map(edges),
    })),
    stacks: [...document.querySelectorAll(".stacks tbody tr")].length,
    broken_words: [...document.querySelectorAll(".stacks th, .stacks td")].flatMap(brokenWords),
  };
}

addEventListener("load", () => {
  const frames = [...document.querySelectorAll("iframe")];
  const report = () => {
    const layouts = Object.fromEntries(frames.map((frame) => [frame.id, measure(frame)]));
    document.querySelector("#layouts").textContent = JSON.stringify(layouts);
    if (Object.values(layouts).some((layout) => layout.drawn < layout.charts)) setTimeout(report, 200);
  };
  report();
});
