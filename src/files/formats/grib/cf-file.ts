import { ConversionError, FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import type { CfAttributes, CfFile, CfVariable } from '../io/cf/variable.ts';
import type { Field, FieldAxes } from './field.ts';
import { type FieldGroup, placeOf } from './groups.ts';
import { FieldArray, HeldArray, type Planes } from './variable.ts';

/** Indices of an array over dimensions that fields do not fill: as many are in any file, and for each field. */
const [mostOfAnyFile, mostPerField] = [100_000, 1000];

const hour = 3_600_000;

/** The times of all items, and the reference times if the same time was computed from several of them. */
interface Times {
  readonly valid: readonly number[];
  readonly reference: readonly number[];
}

/**
 * The items by the conventions of CF: arrays over reference time, member, time, level, y and x, of which each item has
 * those that it needs.
 * @throws ConversionError for items on several grids
 */
export async function cfFileOf(groups: readonly FieldGroup[], planes: Planes, context: Context): Promise<CfFile> {
  const axes = await axesOf(groups);
  if (axes.remark !== undefined) context.remark(axes.remark);
  const times = timesOf(groups);
  const variables = new Map<string, CfVariable>();
  const hold = (
    name: string,
    values: readonly number[] | Float64Array,
    attributes: CfAttributes,
    dimensions = [name],
  ) => {
    const shape = dimensions.length === 2 ? [values.length / 2, 2] : [values.length];
    variables.set(name, new HeldArray({ name, attributes, shape, dimensions }, Float64Array.from(values)));
  };
  for (const { name, values, attributes } of [axes.x, axes.y]) hold(name, values, attributes);
  variables.set(
    MAPPING,
    new HeldArray({ name: MAPPING, attributes: axes.mapping, shape: [], dimensions: [] }, new Float64Array(1)),
  );
  holdTimes(times, hold);
  const levels = new LevelDimensions(hold);
  const ofMembers = groups.filter(hasMembers);
  const members = numbersOf(ofMembers, ({ member }) => member ?? 0);
  if (members.length > 1) hold('member', members, { units: '1', long_name: 'number of the member of the ensemble' });
  for (const { name, unit, fields } of groups) {
    const level = levels.of(fields);
    const own = {
      reference_time: times.reference.length > 1 ? times.reference : undefined,
      member: members.length > 1 && hasMembers({ fields }) ? members : undefined,
      time: times.valid,
      [level?.name ?? 'level']: level?.values,
    };
    const dimensions = Object.entries(own).filter(([, values]) => values !== undefined) as [
      string,
      readonly number[],
    ][];
    const placed = placeFields(
      name,
      fields,
      dimensions.map(([key, values]) => ({ key, values })),
      context,
    );
    const { width, height } = fields[0]!.grid;
    const { standardName } = fields[0]!.parameter;
    const attributes = {
      grid_mapping: MAPPING,
      ...(unit === undefined ? {} : { units: unit }),
      ...(standardName === undefined ? {} : { standard_name: standardName }),
    };
    variables.set(
      name,
      new FieldArray(
        {
          name,
          attributes,
          shape: [...dimensions.map(([, values]) => values.length), height, width],
          dimensions: [...dimensions.map(([key]) => key), axes.y.name, axes.x.name],
        },
        placed,
        planes,
      ),
    );
  }
  return { attributes: {}, variables };
}

/** Others, such as the mask of land and sea, are the same for all members. */
const hasMembers = ({ fields }: Pick<FieldGroup, 'fields'>): boolean =>
  fields.some(({ member }) => member !== undefined);

const MAPPING = 'crs';

async function axesOf(groups: readonly FieldGroup[]): Promise<FieldAxes> {
  const grids = Map.groupBy(groups, ({ fields }) => fields[0]!.grid.key);
  if (grids.size > 1) {
    const texts = [...grids.values()].map(
      (all) =>
        `${all[0]!.fields[0]!.grid.label}: ${all
          .slice(0, 20)
          .map(({ name }) => `'${name}'`)
          .join(', ')}${all.length > 20 ? ` and ${all.length - 20} more` : ''}`,
    );
    throw new ConversionError(
      `The file has ${grids.size} grids. Choose items of one with AllowedItemNames. ${texts.join('; ')}.`,
    );
  }
  return groups[0]!.fields[0]!.grid.axes();
}

const numbersOf = (groups: readonly FieldGroup[], value: (field: Field) => number): number[] =>
  [...new Set(groups.flatMap(({ fields }) => fields.map(value)))].toSorted((one, other) => one - other);

function timesOf(groups: readonly FieldGroup[]): Times {
  const valid = numbersOf(groups, ({ time }) => time.valid);
  const isRepeated = groups.some(({ fields }) => {
    const references = new Map<string, number>();
    return fields.some((field) => {
      const [reference, ...place] = placeOf(field);
      const key = JSON.stringify(place);
      const known = references.get(key) ?? reference!;
      references.set(key, known);
      return known !== reference;
    });
  });
  return { valid, reference: isRepeated ? numbersOf(groups, ({ time }) => time.reference) : [] };
}

type Hold = (name: string, values: readonly number[], attributes: CfAttributes, dimensions?: string[]) => void;

function holdTimes({ valid, reference }: Times, hold: Hold): void {
  const [first] = valid as [number];
  const unit = valid.every((time) => (time - first) % hour === 0) ? 'hours' : 'seconds';
  const size = unit === 'hours' ? hour : 1000;
  const start = new Date(first).toISOString().slice(0, 19);
  hold(
    'time',
    valid.map((time) => (time - first) / size),
    { standard_name: 'time', units: `${unit} since ${start}` },
  );
  if (reference.length > 1)
    hold(
      'reference_time',
      reference.map((time) => (time - reference[0]!) / hour),
      {
        units: 'hours',
        long_name: `hours after ${new Date(reference[0]!).toISOString()}`,
      },
    );
}

/** Dimensions of levels: items with the same levels share one. */
class LevelDimensions {
  readonly #hold: Hold;
  readonly #known = new Map<string, { readonly name: string; readonly values: readonly number[] }>();
  readonly #names = new Map<string, number>();

  constructor(hold: Hold) {
    this.#hold = hold;
  }

  /** Undefined for fields at one level. */
  of(fields: readonly Field[]): { readonly name: string; readonly values: readonly number[] } | undefined {
    const [{ level }] = fields as [Field];
    const values = [...new Set(fields.flatMap((field) => field.level.value ?? []))].toSorted(
      (one, other) => one - other,
    );
    if (level.attributes === undefined || values.length < 2) return undefined;
    const key = JSON.stringify([level.name, values]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const word = level.name.replaceAll(' ', '_');
    const count = (this.#names.get(word) ?? 0) + 1;
    this.#names.set(word, count);
    const name = count === 1 ? word : `${word}_${count}`;
    const ends = new Map(fields.map((field) => [field.level.value, field.level.bounds]));
    const bounds = values.flatMap((value) => ends.get(value) ?? []);
    const bounded = bounds.length === 2 * values.length;
    this.#hold(name, values, { ...level.attributes, ...(bounded ? { bounds: `${name}_bounds` } : {}) });
    if (bounded) this.#hold(`${name}_bounds`, bounds, {}, [name, 'ends']);
    const made = { name, values };
    this.#known.set(key, made);
    return made;
  }
}

/** The fields in the order of the dimensions; a place without a field is undefined. */
function placeFields(
  name: string,
  fields: readonly Field[],
  dimensions: readonly { readonly key: string; readonly values: readonly number[] }[],
  { reportLoss, remark }: Context,
): (Field | undefined)[] {
  const count = dimensions.reduce((all, { values }) => all * values.length, 1);
  if (count > Math.max(mostOfAnyFile, mostPerField * fields.length))
    throw new FormatError(
      `'${name}' has ${fields.length} fields for ${dimensions.map(({ key, values }) => `${values.length} ${key}`).join(' × ')}, which are no array.`,
    );
  const places = dimensions.map(({ values }) => new Map(values.map((value, n) => [value, n])));
  const placed: (Field | undefined)[] = Array.from({ length: count });
  let repeated = 0;
  for (const field of fields) {
    const at = dimensions.reduce((sum, { key, values }, d) => {
      const value =
        key === 'time'
          ? field.time.valid
          : key === 'reference_time'
            ? field.time.reference
            : key === 'member'
              ? (field.member ?? 0)
              : field.level.value;
      return sum * values.length + places[d]!.get(value ?? 0)!;
    }, 0);
    if (placed[at] !== undefined) repeated++;
    placed[at] = field;
  }
  if (repeated > 0)
    reportLoss(
      `${repeated} of the fields of '${name}' repeat others for the same time and level; the last ones were taken.`,
    );
  const missing = count - (fields.length - repeated);
  if (missing > 0)
    remark(`'${name}' has ${count - missing} of ${count} fields; where one is missing, there is no data.`);
  return placed;
}
