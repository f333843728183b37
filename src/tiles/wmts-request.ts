import type { DrawnScheme } from 'hydrofiles/tiles';
import { AppError, invalid } from '../errors.ts';
import { matrixSetNamed } from './capabilities.ts';

/** Parameters of a request by key-value pairs; names in any letter case. */
export interface KvpQuery {
  readonly service?: string | undefined;
  readonly request?: string | undefined;
  readonly version?: string | undefined;
  readonly acceptVersions?: string | undefined;
  readonly format?: string | undefined;
  readonly layer?: string | undefined;
  readonly style?: string | undefined;
  readonly tileMatrixSet?: string | undefined;
  readonly tileMatrix?: string | undefined;
  readonly tileRow?: string | undefined;
  readonly tileCol?: string | undefined;
  readonly time?: string | undefined;
  readonly timeStep?: string | undefined;
  readonly elevation?: string | undefined;
}

const wrong = (sentence: string) => invalid(sentence, { code: 'InvalidParameterValue' });

/** Requested operation; without `REQUEST` it is GetCapabilities. */
export function parseOperation({ request, service, version, acceptVersions }: KvpQuery): 'GetCapabilities' | 'GetTile' {
  if (service !== undefined && service.toUpperCase() !== 'WMTS') throw wrong(`SERVICE '${service}' is not WMTS.`);
  if (version !== undefined && version !== '1.0.0') throw wrong(`VERSION '${version}' is not supported; 1.0.0 is.`);
  const versions = acceptVersions?.split(',').map((one) => one.trim());
  if (versions !== undefined && !versions.includes('1.0.0'))
    throw wrong(`ACCEPTVERSIONS '${acceptVersions}' does not contain 1.0.0.`);
  const operation = request?.toLowerCase() ?? 'getcapabilities';
  if (operation === 'getcapabilities') return 'GetCapabilities';
  if (operation === 'gettile') return 'GetTile';
  throw invalid(`REQUEST '${request}' is not supported. Use GetCapabilities or GetTile.`, {
    code: 'OperationNotSupported',
  });
}

const required = [
  'service',
  'version',
  'layer',
  'format',
  'tileMatrixSet',
  'tileMatrix',
  'tileRow',
  'tileCol',
] as const;

/** The place of the wanted tile. @throws AppError if a parameter is missing */
export function checkGetTile(query: KvpQuery): { tileMatrix: string; tileRow: string; tileCol: string } {
  for (const name of required)
    if (query[name] === undefined || query[name] === '')
      throw invalid(`${name.toUpperCase()} is missing.`, { code: 'MissingParameterValue' });
  if (query.style !== undefined && query.style !== '' && query.style !== 'default')
    throw wrong(`STYLE '${query.style}' is not there; there is 'default'.`);
  return { tileMatrix: query.tileMatrix!, tileRow: query.tileRow!, tileCol: query.tileCol! };
}

/** The scheme of the layer, if it has the matrix set. */
export function askedLayer(schemes: readonly DrawnScheme[], { layer, tileMatrixSet }: KvpQuery): DrawnScheme {
  const scheme = schemes.find(({ schemeId }) => schemeId === layer);
  if (scheme === undefined)
    throw new AppError(
      'notFound',
      `LAYER '${layer}' is not there; there are ${schemes.map(({ schemeId }) => schemeId).join(', ')}.`,
      {
        code: 'InvalidParameterValue',
      },
    );
  const set = matrixSetNamed(schemes, scheme);
  if (tileMatrixSet !== set)
    throw new AppError(
      'notFound',
      `TILEMATRIXSET '${tileMatrixSet}' is not that of layer '${layer}', which is '${set}'.`,
      {
        code: 'InvalidParameterValue',
      },
    );
  return scheme;
}
