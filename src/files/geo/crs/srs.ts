import { FormatError } from '../../errors.ts';
import { configure, type Gdal, lastMessage, withBytes } from '../wasm.ts';

/**
 * Creates an OGR spatial reference for the duration of `f`. `definition` must be a checked code (`EPSG:25832`), a
 * checked WKT or a checked PROJ string: OSRSetFromUserInput would also open file names and URLs.
 */
export function withCrs<T>(module: Gdal, definition: string, f: (handle: number) => T): T {
  const handle = module._OSRNewSpatialReference(0);
  try {
    module._CPLErrorReset();
    const status = module.ccall('OSRSetFromUserInput', 'number', ['number', 'string'], [handle, definition]);
    if (status !== 0) {
      const message = lastMessage(module);
      const text = definition.length > 200 ? `${definition.slice(0, 200)}…` : definition;
      throw new FormatError(`The coordinate system '${text}' cannot be read${message === '' ? '' : `: ${message}`}.`);
    }
    const traditionalOrder = 0;
    module._OSRSetAxisMappingStrategy(handle, traditionalOrder);
    return f(handle);
  } finally {
    module._OSRDestroySpatialReference(handle);
  }
}

/** WKT of a spatial reference, on one line. */
export function crsToWkt(module: Gdal, handle: number, dialect: 'WKT1_GDAL' | 'WKT1_ESRI' | 'WKT2_2019'): string {
  return withBytes(module, 4, (out) => {
    module.HEAPU32[out >> 2] = 0;
    module._CPLErrorReset();
    configure(module, 'OSR_WKT_FORMAT', dialect);
    const status = module._OSRExportToWkt(handle, out);
    configure(module, 'OSR_WKT_FORMAT', null);
    const pointer = module.HEAPU32[out >> 2]!;
    const text = pointer === 0 ? '' : module.UTF8ToString(pointer);
    if (pointer !== 0) module._free(pointer);
    if (status !== 0 || text === '') {
      throw new FormatError(`The coordinate system cannot be written as ${dialect}: ${lastMessage(module)}.`);
    }
    return text;
  });
}
