// What scrolls sideways can be scrolled by keys (WCAG 2.2, 2.1.1).
for (const each of document.querySelectorAll("pre > code, .md-typeset table")) {
  if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
}
