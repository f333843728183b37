import type { HeaderLosses } from '../../src/files/convert/header-losses.ts';
import type { LossPart } from '../../src/files/formats/define.ts';
import type { Property, Row } from './properties.ts';

/** Sentences of receipts that only values tell, without names in quotes. The header must tell all others. */
const FROM_VALUES: readonly RegExp[] = [
  /^\d+ (values of '' were|integers were|integers of '' were) rounded/,
  /^All values are integers\./,
  /^(Grids|Meshes) have no ids of features/,
  /^Ids of features were left out|^The ids of \d+ features|^Ids that are no whole numbers/,
  /^\d+( of \d+)? features (have no geometry|without a place|are neither)/,
  /^\d+ points among the polygons|^\d+ points with the coordinates of another/,
  /^The (points|polygons) became (nodes of )?\d+ triangles/,
  /^\d+ geometries of several parts/,
  /^A shapefile holds one kind of geometry/,
  /^Values of '' were written as text, because they have different types/,
  /^\d+ vertices have no height/,
  // types of fields of numbers
  /^Bands have the types/,
];

/** The part of the header that a property is about. */
const PARTS: Partial<Record<Property, LossPart>> = {
  crs: 'crs',
  rotation: 'rotation',
  unit: 'units',
  quantity: 'quantities',
  kindOfValue: 'valueKinds',
  layers: 'layers',
  dimensions: 'heights',
  measures: 'measures',
};

/** Where the losses that a header tells differ from those of the receipt of the conversion. */
export function unlikeReceipt(
  { loses, refuses }: HeaderLosses,
  converted: { lost: readonly string[] } | { refused: string },
  ofReader: readonly string[],
): string[] {
  if ('refused' in converted)
    return refuses === undefined || refuses === converted.refused ? [] : [`refused otherwise: ${refuses}`];
  if (refuses !== undefined) return [`not refused: ${refuses}`];
  const { lost } = converted;
  return [
    ...loses.filter((one) => !lost.includes(one)).map((one) => `not in the receipt: ${one}`),
    ...lost
      .filter((one) => !loses.includes(one) && !ofReader.includes(one) && !isFromValues(one))
      .map((one) => `not told before: ${one}`),
  ];
}

const isFromValues = (sentence: string): boolean => {
  const plain = sentence.replaceAll(/'[^']*'/g, "''");
  return FROM_VALUES.some((one) => one.test(plain));
};

/** Parts that a writer is said to keep and that it has lost. */
export const wronglyKept = (
  { parts, has }: HeaderLosses & { has: readonly LossPart[] },
  rows: readonly Row[],
): string[] =>
  rows.flatMap(({ property, result, sentence }) => {
    const part = PARTS[property];
    if (part === undefined || !has.includes(part)) return [];
    return result === 'named' && !parts.has(part) ? [`${part} is lost: ${sentence}`] : [];
  });
