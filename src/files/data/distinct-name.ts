/** The name, or `name_2`, `name_3` … if others have it; from then on, it is among `usedNames`. */
export function distinctName(base: string, usedNames: Set<string>, separator = '_'): string {
  let name = base;
  for (let n = 2; usedNames.has(name); n++) name = `${base}${separator}${n}`;
  usedNames.add(name);
  return name;
}
