// Elements of the page: found by their ids, and made. What is given as text stays text.

export const part = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
