/** An element of the page, by its id. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element '${id}'.`);
  return found as T;
}

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A new element with attributes and children. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  setAll(made, attributes);
  made.append(...children);
  return made;
}

/** A new element of SVG. */
export function draw<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[Name] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  setAll(made, attributes);
  made.append(...children);
  return made;
}

function setAll(made: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) if (value !== false) made.setAttribute(name, String(value));
}

/** Tells readers of the screen, and shows for a while. */
export function say(text: string): void {
  const status = element('status');
  if (status.textContent !== text) status.textContent = text;
}

/** A colour of the style sheet, which follows the colour scheme of the reader. */
export function cssColour(name: string): string {
  // the value of the property itself may be a function that a map does not know, such as light-dark()
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
