import { z } from 'zod';
import type { Reads } from '../../db.ts';
import { type App, Routes } from '../../http/route.ts';
import { idParam } from '../../http/rules/forms.ts';
import { component, flag, text, texts, timeText, uuidText } from '../../http/rules/members.ts';
import { lineage, MAX_DEPTH, MAX_EDGES, MAX_EXPORTS } from './lineage.ts';

const Lineage = component('Lineage', {
  nodes: z
    .array(
      component('LineageNode', {
        id: text(
          'Id of a dataset; of a file the id of its transfer, and its number there or `export`; of a hidden one its number in this answer.',
        ),
        kind: z
          .enum(['dataset', 'upload', 'remoteFile', 'export'])
          .describe('What it is. `export`: a file that was made.'),
        name: text('Name of the dataset or file. Absent if hidden.', 'valley.asc').optional(),
        hidden: z.literal(true).optional().describe('The caller may not see it, or it was deleted.'),
      }),
    )
    .describe('Datasets and files, the dataset itself first.'),
  edges: z
    .array(
      component('LineageEdge', {
        from: text('Id of the node that was read.'),
        to: text('Id of the node that was written.'),
        role: z.enum(['input', 'sideInput']).describe('`sideInput`: a transformation named it.'),
        action: text('`import`, `conversion`, `update`, `append`, `move`, `copy` or `export`.', 'import'),
        transfer: component('LineageTransfer', {
          id: uuidText('Id of the transfer.'),
          time: timeText('End of the transfer, UTC.'),
          by: uuidText('User id of its starter.'),
          reader: text('Reader. Absent for moves and copies.', 'AsciiGridReader').optional(),
          writer: text('Writer. Absent for moves and copies.', 'GeoTiffWriter').optional(),
          transformations: texts('Types of its transformations.', ['resampleTransformation']),
        })
          .optional()
          .describe('The transfer, if the caller may see it.'),
      }),
    )
    .describe('What was made of what.'),
  truncated: flag('There is more than the answer shows.'),
});
export type Lineage = z.infer<typeof Lineage>;

export async function lineageRoutes(app: App, { db }: { db: Reads }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['datasets'] });
  routes.get('/api/metadata/dataset/:id/lineage', {
    operationId: 'getDatasetLineage',
    summary: 'Tells from which files and datasets a dataset was made, and what was made of it',
    description: `By completed transfers: at most ${MAX_DEPTH} of them in a row, and ${MAX_EDGES} edges in each direction, with the newest ${MAX_EXPORTS} exports to files that the caller may see. It does not look beyond hidden datasets.`,
    params: idParam('dataset'),
    response: { 200: Lineage },
    config: { limit: 'heavy' },
    handler: ({ caller, params }) => lineage(db, caller, params.id),
  });
}
