// `scripts/bundle-charts` bundles it with what it imports.
import vegaEmbed from "vega-embed";

(() => {
  const charts = JSON.parse(document.getElementById("chart-data").textContent);
  const options = {
    ast: true, // expressions are interpreted: no eval, so that the page's policy can forbid it
    actions: false,
    renderer: "svg",
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };
  for (const [name, spec] of Object.entries(charts)) {
    const place = document.getElementById(`chart-${name}`);
    // The label that a screen reader reads, in place of "Vega visualization".
    vegaEmbed(place, { ...spec, description: place.dataset.label }, options).then(
      () => place.classList.add("drawn"),
      (error) => { place.textContent = `This chart could not be drawn: ${error.message}`; },
    );
  }
})();
