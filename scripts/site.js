// A cell of a heading that says nothing is none.
for (const each of document.querySelectorAll(".md-typeset th:empty")) each.replaceWith(document.createElement("td"));

// What scrolls sideways can be scrolled by keys (WCAG 2.2, 2.1.1), and each piece of code has a name of its own. The
// theme adds its buttons late, and takes the keys from code that it takes for too short to scroll.
const look = () => {
  for (const each of document.querySelectorAll("pre > code, .md-typeset table")) {
    if (each.scrollWidth > each.clientWidth && each.tabIndex !== 0) each.tabIndex = 0;
  }
  document.querySelectorAll(".md-code__nav").forEach((each, place) => (each.ariaLabel = `Code ${place + 1}`));
};
new MutationObserver(look).observe(document.body, {
  subtree: true, childList: true, attributes: true, attributeFilter: ["tabindex"],
});
new ResizeObserver(look).observe(document.body);
