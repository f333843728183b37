/** A map of each item: no one has to write JSON to see their data. */
export const USUAL_SCHEMES = [{ schemeId: 'map', schemeType: 'XYZ', itemName: '*' }] as const;
