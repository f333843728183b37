import { Box } from '../../../data/box.ts';
import type { Crs } from '../../../data/crs-reference.ts';
import { withDimensions } from '../../../data/dimensions.ts';
import type { Feature, FeatureCollection, Geometry } from '../../../data/feature-collection.ts';
import { ConversionError } from '../../../errors.ts';
import { kindOf, parseSrid } from '../../../geo/crs/crs.ts';
import type { Chain } from '../../../geo/vector/edge-tree.ts';
import { chainsOf, transformChains } from '../../../geo/vector/transform-chains.ts';
import { checkSame } from '../resample/target-cells.ts';
import type { StepContext } from '../step-context.ts';
import type { ZonalStatisticsTransformation } from './transformation.ts';

/**
 * The zones as features, in the coordinate system of the data.
 * @throws ConversionError if they are no features, or in another coordinate system
 */
export async function openZones(
  { zones }: ZonalStatisticsTransformation,
  crs: Crs | undefined,
  shared: StepContext,
): Promise<FeatureCollection> {
  if ('geometry' in zones) {
    if (zones.srid !== undefined) await checkSame(crs, parseSrid(zones.srid), zones.srid);
    const own = crs ?? (zones.srid === undefined ? undefined : parseSrid(zones.srid));
    return {
      kind: 'features',
      ...(own === undefined ? {} : { crs: own }),
      fields: [],
      hasZ: false,
      hasM: false,
      count: 1,
      async *chunks() {
        yield [{ geometry: zones.geometry, values: [] }];
      },
    };
  }
  const opened = await shared.open(zones);
  if (opened.kind !== 'features')
    throw new ConversionError(`'${zones.key}' has no features, so it gives no zones. Use a file of polygons.`);
  await checkSame(crs, opened.crs, `'${zones.key}'`);
  const { later: _, origin: __, cutNames: ___, name: ____, ...features } = opened;
  return crs === undefined || features.crs !== undefined ? features : { ...features, crs };
}

/** Makes the rings of zones ready for data in a place. */
export class ZoneChains {
  readonly #zones: FeatureCollection;
  /** The data's system, if x is a longitude in it: zones are then looked for 360° further, too. */
  readonly #turning: Crs | undefined;
  readonly #extent: Box;
  #number = 0;

  constructor(zones: FeatureCollection, crs: Crs | undefined, extent: Box) {
    this.#zones = zones;
    this.#turning = crs !== undefined && kindOf(crs).startsWith('geographic') ? crs : undefined;
    this.#extent = extent;
  }

  /**
   * The rings of the next zone; none for a feature without geometry.
   * @throws ConversionError for a line or a point
   */
  async next({ geometry }: Feature): Promise<readonly Chain[]> {
    this.#number++;
    if (geometry === undefined || isEmpty(geometry)) return [];
    const flat = withDimensions(geometry, this.#zones, { hasZ: false, hasM: false });
    const chains = chainsOf(flat);
    if (chains.some(({ polygon }) => polygon < 0))
      throw new ConversionError(`Zone ${this.#number} is a ${geometry.type}. Zones must be polygons.`);
    if (this.#turning === undefined) return chains;
    const [own, ...turned] = await transformChains(chains, undefined, this.#turning);
    return [...own!, ...turned.filter((copy) => this.#meets(copy)).flat()];
  }

  #meets(chains: readonly Chain[]): boolean {
    const box = new Box();
    for (const { xy } of chains) box.add(xy, 2);
    return box.west < this.#extent.east && box.east > this.#extent.west;
  }
}

const isEmpty = ({ coordinates, members = [] }: Geometry): boolean =>
  coordinates.length === 0 && members.every(isEmpty);

/** Names of zones for series: the values of a field, where there is none the number of the zone from 1. */
export const zoneName = (value: unknown, number: number): string =>
  value === undefined || value === null || String(value).trim() === '' ? String(number) : String(value);
