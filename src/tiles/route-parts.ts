import { z } from 'zod';
import { BINARY } from '../http/openapi/headers.ts';
import { idParam } from '../http/rules/forms.ts';
import { text } from '../http/rules/members.ts';

export const TAGS = ['tiles'];
export const DATASET_PATH = '/api/tiles/dataset/:id';
export const VECTOR_PATH = '/api/vectortiles/dataset/:id';
export const SCHEME_PATH = `${DATASET_PATH}/scheme/:schemeId`;

/** A caller who may read the dataset, or the holder of a signed link. */
export const config = { access: 'signedIn', service: 'tiles', signedLinks: true, responseCache: true } as const;

/** For checks and repairs of tiles, which a signed link does not allow. */
export const upkeepConfig = { access: 'signedIn', service: 'tiles' } as const;

/** @param usual default number of tiles */
export const checkQuery = (usual: number) =>
  z.object({
    tiles: z.coerce
      .number()
      .int()
      .min(1)
      .max(1000)
      .default(usual)
      .meta({ description: 'Number of tiles, chosen at random.', example: usual }),
  });

export const SchemeAddress = idParam('dataset').extend({
  schemeId: text('Id of the scheme.', 'depth'),
});

export const TileAddress = SchemeAddress.extend({
  tileMatrix: text('Zoom level; z of XYZ.', '3'),
  tileRow: text('Row from the top; y of XYZ.', '2'),
  tileCol: text('Column from the left; x of XYZ.', '4'),
});

export const NetAddress = SchemeAddress.extend({
  zoom: text('Zoom level of Web Mercator, 0 to 24.', '3'),
  column: text('Column from the west.', '4'),
  row: text('Row from the north.', '2'),
});

export const SliceQuery = z.object({
  timeStep: text('Time step: its number from 0, or its time. Default: the first.', '0').optional(),
  layer: text('Layer: its number from 0, the lowest. Default: 0.', '0').optional(),
});

const bytes = { schema: BINARY };
const etag = { description: 'Strong: of the content and the version of the dataset.', schema: { type: 'string' } };

/** The answers of a tile in the OpenAPI document. */
export const TILE_ANSWER = {
  responses: {
    200: {
      description: 'The tile; where there are no data, the empty tile.',
      headers: { ETag: etag },
      content: { 'image/png': bytes, 'image/webp': bytes, 'application/octet-stream': bytes },
    },
    304: { description: 'The ETag of the caller is current.' },
  },
};

/** An answer that is text of these media types. */
export const textAnswer = (description: string, ...types: string[]) => ({
  responses: {
    200: {
      description,
      headers: { ETag: etag },
      content: Object.fromEntries(
        types.map((type) => [type, { schema: { type: type === 'application/json' ? 'object' : 'string' } }]),
      ),
    },
    304: { description: 'The ETag of the caller is current.' },
  },
});
