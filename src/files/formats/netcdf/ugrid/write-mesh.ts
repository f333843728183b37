import type { Mesh } from '../../../data/mesh.ts';
import { cellCentres, cellCount, shapesByCorners } from '../../../data/mesh-cells.ts';
import type { ArraySpec, Attributes } from '../../io/store/array-spec.ts';
import { type StoreContent, wholeArray } from '../../io/store/content.ts';
import { CRS, scalar } from '../../io/store/crs.ts';
import { meshContent } from '../../io/store/mesh-content.ts';
import { codedCrsNames, faceCentreNames, netCdfNaming } from '../../io/store/naming.ts';
import { planeOf, stackOf } from './stacked/stack.ts';
import { stackedContent } from './stacked/write-stacked.ts';

const { topology, x, y, z, cell, shapes } = netCdfNaming.mesh;

/** The arrays of a mesh by UGRID 1.0: a topology of two dimensions where the cells are faces, or stand on faces. */
export async function ugridContent(mesh: Mesh): Promise<StoreContent> {
  const stack = stackOf(mesh);
  const plane = stack === undefined ? mesh : planeOf(mesh, stack);
  const content = withFaceCentres(forMapViewers(await meshContent(plane, netCdfNaming), plane), plane);
  return stack === undefined ? content : stackedContent(content, mesh, stack);
}

/**
 * What QGIS (MDAL) and other readers of Delft3D-FM's files look for: the height of the bed, and a variable of this name
 * with the code of the coordinate system. Shapes of faces that follow of their corners are left out, since MDAL refuses
 * unsigned bytes.
 */
function forMapViewers(content: StoreContent, mesh: Mesh): StoreContent {
  const usual = shapesByCorners(mesh.offsets).every((shape, cell) => shape === mesh.shapes[cell]);
  const mapping = content.scalars.find(({ name }) => name === CRS);
  const { authority, code } = mesh.crs ?? {};
  const isGeographic = mapping?.attributes.grid_mapping_name === 'latitude_longitude';
  const coded =
    mapping === undefined || authority === undefined || code === undefined
      ? []
      : [
          scalar(isGeographic ? codedCrsNames.geographic : codedCrsNames.projected, {
            long_name: 'code of the coordinate system',
            EPSG_code: `${authority}:${code}`,
          }),
        ];
  const bed = { standard_name: 'altitude', units: 'm', mesh: topology, location: 'node', grid_mapping: CRS };
  return {
    ...content,
    scalars: [...content.scalars, ...coded],
    wholes: content.wholes.flatMap((whole) => {
      if (whole.spec.name === shapes && usual) return [];
      const isBed = whole.spec.name === z && mapping !== undefined;
      return [isBed ? { ...whole, spec: withAttributes(whole.spec, bed) } : whole];
    }),
  };
}

const withAttributes = (spec: ArraySpec, attributes: Attributes): ArraySpec => ({
  ...spec,
  attributes: { ...spec.attributes, ...attributes },
});

/** Adds the centres of the faces, which are coordinates of the values on faces. */
function withFaceCentres(content: StoreContent, mesh: Mesh): StoreContent {
  const hasFaces = content.scalars.some(
    ({ name, attributes }) => name === topology && attributes.face_dimension !== undefined,
  );
  if (!hasFaces) return content;
  const centres = cellCentres(mesh);
  const names = `${faceCentreNames.x} ${faceCentreNames.y}`;
  const along = (axis: 0 | 1, name: string, ofNodes: string) => {
    const values = Float64Array.from({ length: cellCount(mesh) }, (_, face) => centres[3 * face + axis]!);
    const { attributes } = content.wholes.find(({ spec }) => spec.name === ofNodes)!.spec;
    return wholeArray(name, 'Float64', values, { dimensions: [cell], shape: [values.length], attributes });
  };
  return {
    ...content,
    scalars: content.scalars.map((spec) =>
      spec.name === topology ? withAttributes(spec, { face_coordinates: names }) : spec,
    ),
    wholes: [...content.wholes, along(0, faceCentreNames.x, x), along(1, faceCentreNames.y, y)],
    items: content.items.map((item) =>
      item.spec.attributes.location === 'face'
        ? { ...item, spec: withAttributes(item.spec, { coordinates: names }) }
        : item,
    ),
  };
}
