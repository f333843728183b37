import type { FeatureCollection } from '../../data/feature-collection.ts';
import type { Grid } from '../../data/grid.ts';
import type { Item } from '../../data/item.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { Context, LossPart } from '../define.ts';

type Reports = Pick<Context, 'reportLoss'>;

/**
 * Reports parts of a mesh for which data of another kind have no place.
 * @param kind of the data, such as `Features`
 */
export function reportMeshParts(
  { nodes, nodeCodes, nodeIds, cellIds, layers, heights }: Mesh,
  kind: string,
  { hasZ = false, hasLayers = false }: { hasZ?: boolean; hasLayers?: boolean },
  context: Reports,
): void {
  const high = heights !== undefined || nodes.some((value, n) => n % 3 === 2 && value !== 0 && !Number.isNaN(value));
  report(
    kind,
    [
      ...(high && !hasZ ? [['heights of nodes', 'heights'] as const] : []),
      ...(nodeCodes?.some((code) => code > 1) ? [['boundary codes'] as const] : []),
      ...(nodeIds === undefined && cellIds === undefined ? [] : [['numbers of nodes and elements'] as const]),
      ...(layers === undefined || hasLayers ? [] : [['layers', 'layers'] as const]),
    ],
    context,
  );
}

/** Reports parts of a grid for which data of another kind have no place. */
export function reportGridParts({ affine, layers }: Grid, kind: string, context: Reports): void {
  const rotated = affine[2] !== 0 || affine[4] !== 0;
  report(
    kind,
    [
      ...(rotated ? [['rotation', 'rotation'] as const] : []),
      ...(layers === undefined ? [] : [['layers', 'layers'] as const]),
    ],
    context,
  );
}

/** Reports 64-bit integers for which only doubles have a place. */
export function reportDoubles(items: readonly Item[], { reportLoss }: Reports): void {
  const names = items.flatMap(({ integer64, name }, n) =>
    integer64 === undefined ? [] : [`'${(name ?? `Item ${n + 1}`).slice(0, 80)}'`],
  );
  if (names.length > 0)
    reportLoss(
      `The 64-bit integers of ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''} became doubles.`,
    );
}

/** Reports parts of features for which cells with numbers have no place, and fields that hold no numbers. */
export function reportFeatureParts({ fields, hasM }: FeatureCollection, kind: string, context: Reports): void {
  const others = fields.filter(({ type }) => !numeric.has(type)).map(({ name }) => `'${name.slice(0, 80)}'`);
  if (others.length > 0)
    context.reportLoss(
      `${kind} hold numbers only; the fields ${others.slice(0, 20).join(', ')}${others.length > 20 ? ', …' : ''} were left out.`,
    );
  report(kind, hasM ? [['measures (M)', 'measures']] : [], context);
}

/** Reports that ids of features were left out; whether there are any is known only after they were read. */
export const reportFeatureIds = (kind: string, context: Reports): void => report(kind, [['ids of features']], context);

const numeric: ReadonlySet<string> = new Set(['integer', 'integer64', 'real']);

function report(
  kind: string,
  parts: readonly (readonly [words: string, part?: LossPart])[],
  { reportLoss }: Reports,
): void {
  const [last, ...before] = parts.map(([words]) => words).toReversed();
  if (last === undefined) return;
  const list = before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
  reportLoss(`${kind} have no ${list}; they were left out.`, ...parts.flatMap(([, part]) => part ?? []));
}
