/** `m^3/s` as it is printed. */
export const printedUnit = (unit: string): string => unit.replace(/\^2(?!\d)/g, '²').replace(/\^3(?!\d)/g, '³');
