import { FormatError } from '../../errors.ts';
import { type Gdal, guarded, vectorInfo, withBytes, withDataset } from '../wasm.ts';
import { crsToWkt, withCrs } from './srs.ts';
import { child, parseWkt } from './wkt.ts';

interface Match {
  authority?: 'EPSG' | 'ESRI';
  code?: number;
  /** The CRS as GDAL understands it. */
  wkt?: string;
}

/** An empty shapefile: a 100-byte header with code 9994, length in 16-bit words, version 1000 and type 1 (point). */
const emptyShapefile = new Uint8Array(100);
new DataView(emptyShapefile.buffer).setInt32(0, 9994);
new DataView(emptyShapefile.buffer).setInt32(24, 50);
new DataView(emptyShapefile.buffer).setInt32(28, 1000, true);
new DataView(emptyShapefile.buffer).setInt32(32, 1, true);

/**
 * Finds the registry code of a CRS given as WKT or as lines of an old .prj file.
 *
 * gdal3.js does not export OSRFindMatches, but GDAL's shapefile driver calls it for each .prj file. So this opens an
 * empty shapefile with the definition as .prj file. A match is accepted only if points across its area of use have the
 * same coordinates in both CRSs, within a millimetre.
 */
export function identify(module: Gdal, definition: string): Match {
  return guarded(module, () => {
    const old = /^projection\s/i.test(definition);
    let prj = definition;
    if (!old) {
      try {
        prj = withCrs(module, definition, (handle) => crsToWkt(module, handle, 'WKT1_ESRI'));
      } catch (error) {
        if (error instanceof FormatError) return {};
        throw error;
      }
    }
    const wkt = askShapefileDriver(module, prj);
    if (wkt === undefined || old) return wkt === undefined ? {} : { wkt };
    const [authority, code] = child(parseWkt(wkt), 'ID')?.values ?? [];
    if ((authority !== 'EPSG' && authority !== 'ESRI') || typeof code !== 'number') return { wkt };
    return agree(module, definition, `${authority}:${code}`, wkt) ? { authority, code, wkt } : { wkt };
  });
}

function askShapefileDriver(module: Gdal, prj: string): string | undefined {
  const files = { '/identify.shp': emptyShapefile, '/identify.shx': emptyShapefile, '/identify.prj': prj };
  for (const [path, content] of Object.entries(files)) module.FS.writeFile(path, content);
  try {
    const info = withDataset(module, '/identify.shp', 'ESRI Shapefile', (dataset) =>
      vectorInfo(module, dataset, ['-so']),
    );
    return info?.layers[0]?.geometryFields[0]?.coordinateSystem?.wkt;
  } finally {
    for (const path of Object.keys(files)) module.FS.unlink(path);
  }
}

/** Whether points in the area of use of `candidate` (a code, with its WKT) have the same coordinates in both CRSs. */
function agree(module: Gdal, definition: string, candidate: string, candidateWkt: string): boolean {
  const box = child(child(parseWkt(candidateWkt), 'USAGE') ?? parseWkt(candidateWkt), 'BBOX');
  const [south, west, north, east] = (box?.values ?? [-80, -180, 80, 180]) as number[];
  const across = (east! < west! ? 360 : 0) + east! - west!;
  const points = [0.1, 0.5, 0.9].flatMap((u) =>
    [0.1, 0.5, 0.9].map((v) => [west! + u * across, south! + v * (north! - south!)] as const),
  );
  return withCrs(module, 'EPSG:4326', (geographic) =>
    withCrs(module, definition, (given) =>
      withCrs(module, candidate, (other) => {
        const millimetre = candidateWkt.startsWith('GEOG') ? 1e-8 : 1e-3;
        return withTransformation(module, geographic, other, (toOther) =>
          withTransformation(module, given, other, (between) =>
            withBytes(module, 16 * points.length, (x) => {
              const y = x + 8 * points.length;
              const at = (i: number) => [module.HEAPF64[(x >> 3) + i]!, module.HEAPF64[(y >> 3) + i]!] as const;
              for (const [i, [lon, lat]] of points.entries()) {
                module.HEAPF64[(x >> 3) + i] = lon;
                module.HEAPF64[(y >> 3) + i] = lat;
              }
              module._OCTTransform(toOther, points.length, x, y, 0);
              const before = points.map((_, i) => at(i));
              module._OCTTransform(between, points.length, x, y, 0);
              const seen = before.map(([bx, by], i) => [bx - at(i)[0], by - at(i)[1]]);
              const compared = seen.filter(([dx, dy]) => Number.isFinite(dx) && Number.isFinite(dy));
              return compared.length > 0 && compared.every(([dx, dy]) => Math.hypot(dx!, dy!) < millimetre);
            }),
          ),
        );
      }),
    ),
  );
}

function withTransformation(module: Gdal, from: number, to: number, f: (handle: number) => boolean): boolean {
  const handle = module._OCTNewCoordinateTransformation(from, to);
  if (handle === 0) return false;
  try {
    return f(handle);
  } finally {
    module._OCTDestroyCoordinateTransformation(handle);
  }
}
