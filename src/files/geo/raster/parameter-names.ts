import { randomUUID } from 'node:crypto';
import { configure, gdal, guarded, rasterInfo, withDataset } from '../wasm.ts';

/** Name and unit of a parameter, as GDAL's tables have them. */
export interface ParameterName {
  readonly name: string;
  readonly unit?: string;
}

/**
 * The parameters of messages in GRIB; undefined for those that the tables do not have.
 * @param messages complete messages of a few bytes
 */
export async function parameterNames(messages: readonly Uint8Array[]): Promise<(ParameterName | undefined)[]> {
  const module = await gdal();
  return guarded(module, () => {
    // The unit that the file says, not degrees Celsius for kelvin.
    configure(module, 'GRIB_NORMALIZE_UNITS', 'NO');
    const path = `/${randomUUID()}.grib`;
    try {
      return messages.map((message) => {
        module.FS.writeFile(path, message);
        const info = withDataset(module, path, 'GRIB', (dataset) => rasterInfo(module, dataset, []), 'raster');
        return nameIn(info?.bands?.[0]?.metadata?.['']);
      });
    } finally {
      if (messages.length > 0) module.FS.unlink(path);
      configure(module, 'GRIB_NORMALIZE_UNITS', null);
    }
  });
}

/** GDAL calls parameters that it does not know by numbers in brackets, or `unknown`. */
function nameIn(metadata: Readonly<Record<string, string>> | undefined): ParameterName | undefined {
  const [, name = '', unit = ''] = /^([^[]*)(?:\[([^\]]*)\])?/.exec(metadata?.GRIB_COMMENT ?? '') ?? [];
  const text = name.trim();
  if (text === '' || /^\(|unknown|undefined|reserved/i.test(text)) return undefined;
  return { name: text, ...(unit === '' || unit === '-' ? {} : { unit }) };
}
