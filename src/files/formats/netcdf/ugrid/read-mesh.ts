import { defined } from '../../../data/defined.ts';
import type { Item, Samples } from '../../../data/item.ts';
import type { Mesh, MeshItem } from '../../../data/mesh.ts';
import { asSamples, type StoredValues } from '../../../data/stored-values.ts';
import { stepCount } from '../../../data/time-axis.ts';
import { ConversionError, FormatError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { type Clock, clockOf } from '../../io/cf/clock.ts';
import { reportInvalid } from '../../io/cf/invalid-values.ts';
import { itemOf, longNames, variablesOf } from '../../io/cf/items.ts';
import { type Packing, packingOf, readPacking } from '../../io/cf/packing.ts';
import type { CfOptions } from '../../io/cf/read.ts';
import { stepBoundsOf, valueKindOf } from '../../io/cf/value-kind.ts';
import { type CfContext, type CfFile, type CfVariable, numberOf, shortened, textOf } from '../../io/cf/variable.ts';
import { ArrayView, type ViewDimension } from '../../io/cf/view.ts';
import { stackNames } from '../../io/store/naming.ts';
import type { ValueArray } from '../../io/value-array.ts';
import { type Layering, layeringOf } from './layers.ts';
import { meshCrs } from './mesh-crs.ts';
import { layeredGeometry } from './moving-layers.ts';
import { type Faces, facesOf, nodesOf, type Topology } from './topology.ts';

/** The topology variables of a file by the conventions of UGRID. */
export const topologiesOf = (file: CfFile): CfVariable[] =>
  [...file.variables.values()].filter(({ metadata }) => metadata.attributes.cf_role === 'mesh_topology');

/** A variable on the nodes or faces of the mesh. */
interface Placed {
  readonly variable: CfVariable;
  readonly location: 'node' | 'cell';
  /** Index of the dimension of nodes or faces, and of layers. */
  readonly at: number;
  readonly layerAt: number;
}

/**
 * The mesh of a topology of two dimensions (UGRID 1.0), with the variables on its faces and nodes.
 * @throws ConversionError for several topologies of which the request names none
 */
export async function readUgrid(
  file: CfFile,
  wanted: string | undefined,
  options: CfOptions,
  context: CfContext & Pick<Context, 'signal'>,
): Promise<Mesh> {
  const topology = chosenTopology(file, wanted, context);
  const flat = await nodesOf(file, topology);
  const faces = await facesOf(file, topology, flat.nodes.length / 3);
  const { chosen, scalars } = variablesOf(file);
  const described = new Set([
    topology.name,
    flat.heights,
    flat.codes,
    ...topology.describing,
    ...Object.values<string>(stackNames),
  ]);
  const placed = chosen.flatMap((variable) =>
    described.has(variable.metadata.name) ? [] : (placeOf(variable, topology, faces, context) ?? []),
  );
  const names = longNames(placed.map(({ variable }) => variable));
  const allowed = options.allowed?.(names.map((name) => ({ name }))) ?? [...placed.keys()];
  const kept = allowed.map((n) => ({ ...placed[n]!, name: names[n]! }));
  const clock = await clockOf(
    file,
    kept.map(({ variable }) => variable),
    scalars,
    context,
  );
  const layering = kept.some(({ layerAt }) => layerAt >= 0)
    ? await layeringOf(file, topology, kept[kept.findIndex(({ layerAt }) => layerAt >= 0)]!)
    : undefined;
  const bounds = await stepBoundsOf(file, clock);
  const items: MeshItem[] = [];
  const arrays: ValueArray[] = [];
  const packings: { variable: CfVariable; packing: Packing }[] = [];
  for (const one of kept) {
    const view = viewOf(one, clock, layering, context);
    if (view === undefined) continue;
    const packing = readPacking(one.variable, context);
    packings.push({ variable: one.variable, packing });
    const valueKind = clock && valueKindOf(one.variable, bounds, clock.dimension ?? 'time', context);
    items.push({
      ...meshItemOf(one.variable, packing, context),
      name: one.name,
      ...(valueKind && { valueKind }),
      location: one.location,
    });
    arrays.push(view);
  }
  await reportInvalid(packings, context, context.signal);
  const valuesOn = (variable: CfVariable) => {
    const place = placeOf(variable, topology, faces, context);
    return place && viewOf({ ...place, layerAt: -1 }, clock, undefined, context);
  };
  const cells =
    layering === undefined
      ? { nodes: flat.nodes, ...faces.cells }
      : await layeredGeometry({ flat, faces: faces.cells, layering, valuesOn }, context);
  const timed = arrays.some((array) => array.metadata.dimensions[0] === TIME);
  return defined({
    kind: 'mesh',
    crs: await meshCrs(
      file,
      kept.map(({ variable }) => variable),
      flat.x,
      context,
    ),
    nodeCodes: layering === undefined ? flat.nodeCodes : undefined,
    ...cells,
    items,
    time: timed || 'heights' in cells ? clock?.time : undefined,
    async values(item: number, step: number): Promise<Samples> {
      const { metadata } = arrays[item]!;
      const own = metadata.dimensions[0] === TIME ? 1 : 0;
      const lengths = metadata.shape.slice(own);
      const values = await arrays[item]!.read(
        own === 1 ? [step, ...lengths.map(() => 0)] : lengths.map(() => 0),
        own === 1 ? [1, ...lengths] : lengths,
      );
      return toSamples(values, context);
    },
  }) as Mesh;
}

const TIME = 'time';

/** The item of a variable. Samples of a mesh are doubles if the variable has integers of 64 bits. */
function meshItemOf(variable: CfVariable, packing: Packing, context: CfContext): Item {
  const { integer64, exactNodata: _, ...item } = itemOf(variable, packing, context);
  if (integer64 !== undefined)
    context.reportLoss(`The 64-bit integers of '${shortened(variable.metadata.name)}' became doubles.`);
  return item;
}

function toSamples(values: StoredValues, { reportLoss }: CfContext): Samples {
  const samples = asSamples(values);
  if (samples !== values && samples.some((value) => !Number.isSafeInteger(value)))
    reportLoss('Integers above 2^53 were rounded to 53 bits.');
  return samples;
}

function chosenTopology(file: CfFile, wanted: string | undefined, { reportLoss }: CfContext): Topology {
  const all = topologiesOf(file);
  const plane = all.filter(({ metadata }) => numberOf(metadata.attributes.topology_dimension) === 2);
  const found = wanted === undefined ? plane : all.filter(({ metadata }) => metadata.name === wanted);
  const names = all.map(({ metadata }) => `'${shortened(metadata.name)}'`).join(', ');
  if (wanted !== undefined && found.length === 0)
    throw new ConversionError(`The file has no mesh '${shortened(wanted)}'. Meshes: ${names}.`);
  if (found.length > 1)
    throw new ConversionError(`The file has several meshes: ${names}. Choose one with the parameter Topology.`);
  const [chosen] = found;
  if (chosen === undefined || numberOf(chosen.metadata.attributes.topology_dimension) !== 2)
    throw new ConversionError(
      `The meshes of the file (${names}) have no faces; only those of two dimensions can be read.`,
    );
  for (const { metadata } of all)
    if (metadata.name !== chosen.metadata.name) reportLoss(`The mesh '${shortened(metadata.name)}' was left out.`);
  return topologyOf(chosen);
}

function topologyOf({ metadata: { name, attributes } }: CfVariable): Topology {
  const words = (key: string) => textOf(attributes[key])?.split(/\s+/) ?? [];
  const [x, y] = words('node_coordinates');
  const [faceNodes] = words('face_node_connectivity');
  if (x === undefined || y === undefined)
    throw new FormatError(`The mesh '${shortened(name)}' names no node_coordinates.`);
  if (faceNodes === undefined) throw new FormatError(`The mesh '${shortened(name)}' names no face_node_connectivity.`);
  const describing = Object.keys(attributes)
    .filter((key) => /_(?:coordinates|connectivity)$/.test(key))
    .flatMap(words);
  return { name, x, y, faceNodes, describing, attributes };
}

/** Undefined with a loss for a variable that is not on nodes or faces. */
function placeOf(
  variable: CfVariable,
  topology: Topology,
  faces: Faces,
  { reportLoss }: CfContext,
): Placed | undefined {
  const { name, attributes, dimensions } = variable.metadata;
  const mesh = textOf(attributes.mesh);
  const at = { face: dimensions.indexOf(faces.dimension), node: dimensions.indexOf(faces.nodeDimension) };
  const location = textOf(attributes.location) ?? (at.face >= 0 ? 'face' : at.node >= 0 ? 'node' : undefined);
  const leave = (why: string) => {
    reportLoss(`The variable '${shortened(name)}' was left out: ${why}.`);
    return undefined;
  };
  if (mesh !== undefined && mesh !== topology.name) return undefined;
  if (location === 'edge') return leave('its values are on edges');
  const own = location === 'face' ? at.face : location === 'node' ? at.node : -1;
  if (own < 0) return leave('it is not on the nodes or faces of the mesh');
  const layer = textOf(topology.attributes.layer_dimension);
  const layerAt = dimensions.findIndex(
    (one, d) => d !== own && one !== undefined && (one === layer || /lay/i.test(one)),
  );
  return { variable, location: location === 'face' ? 'cell' : 'node', at: own, layerAt };
}

/** The values by time, faces or nodes, and layers from the lowest. Undefined with a loss for other dimensions. */
function viewOf(
  { variable, location, at, layerAt }: Placed,
  clock: Clock | undefined,
  layering: Layering | undefined,
  { reportLoss }: CfContext,
): ValueArray | undefined {
  const { name, shape, dimensions } = variable.metadata;
  const steps = clock === undefined ? 0 : stepCount(clock.time);
  const timeAt = dimensions.findIndex((one, d) => one !== undefined && one === clock?.dimension && shape[d] === steps);
  const others = dimensions.filter((_, d) => ![at, layerAt, timeAt].includes(d) && shape[d] !== 1);
  const leave = (why: string) => {
    reportLoss(`The variable '${shortened(name)}' was left out: ${why}.`);
    return undefined;
  };
  if (others.length > 0) return leave(`it has the dimension '${shortened(others[0] ?? '')}'`);
  if (layering !== undefined && layerAt < 0)
    return leave('it has no layers, and others have; read it alone with AllowedItemNames');
  if (layering !== undefined && (location === 'node' || shape[layerAt] !== layering.count))
    return leave('its layers are not those of the faces');
  const overTime = timeAt >= 0 || (clock !== undefined && clock.dimension === undefined);
  const first: ViewDimension[] = !overTime
    ? []
    : timeAt < 0
      ? [{ name: TIME, length: 1 }]
      : [defined({ name: TIME, length: shape[timeAt]!, from: timeAt, order: clock!.order }) as ViewDimension];
  const places: ViewDimension = { name: location, length: shape[at]!, from: at };
  const layers =
    layering === undefined
      ? []
      : [
          defined({
            name: 'layer',
            length: layering.count,
            from: layerAt,
            order: layering.reversed ? 'reversed' : undefined,
          }) as ViewDimension,
        ];
  return new ArrayView(variable, [...first, places, ...layers], packingOf(variable.metadata));
}
