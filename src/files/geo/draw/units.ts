/** A unit symbol with superscripts: `m^3/s` becomes `m³/s`. */
export const printedUnit = (unit: string): string => unit.replace(/\^2(?!\d)/g, '²').replace(/\^3(?!\d)/g, '³');
