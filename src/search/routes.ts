import { z } from 'zod';
import type { Reads } from '../db.ts';
import { invalidMember } from '../errors.ts';
import { type App, Routes } from '../http/route.ts';
import { queryBox } from '../http/rules/box.ts';
import { uuidParam } from '../http/rules/forms.ts';
import { textUpTo } from '../http/rules/members.ts';
import { cursorPage, cursorPageOf, cursorQuery } from '../http/rules/paging.ts';
import { queryEnum, queryTime } from '../http/rules/query.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import { KINDS, SearchHit } from './hits.queries.ts';
import { findEntries, readWords } from './search.queries.ts';

const MAX_LENGTH = 200;
const MAX_WORDS = 10;

const Search = z.object({
  q: textUpTo(
    MAX_LENGTH,
    `Up to ${MAX_WORDS} words. Each begins a word of the name, the description, the tags, the items or the metadata, in any letter case, with or without diacritics.`,
  ),
  kind: queryEnum(KINDS).optional().describe('Only projects or only datasets.'),
  project: uuidParam().optional().describe('Only what lies in this project, at any depth.'),
  bbox: queryBox()
    .optional()
    .describe(
      'Only datasets whose location intersects this box: `west,south,east,north` in degrees. If west is greater than east, it crosses the antimeridian.',
    ),
  changedAfter: queryTime('Only what was changed after this time').optional(),
  ...cursorQuery,
});

export async function searchRoutes(app: App, { db, cursors }: { db: Reads; cursors: Signer }) {
  const routes = new Routes(app, { access: 'signedIn', service: 'metadata', tags: ['projects', 'datasets'] });
  routes.get('/api/metadata/search', {
    operationId: 'search',
    summary: 'Searches projects and datasets for words',
    description:
      'Searches all that you may see, or the tenant of the header. Names that begin with the words come first, then the others, in the order of names.',
    querystring: Search,
    response: { 200: cursorPageOf(SearchHit) },
    config: { limit: 'heavy' },
    handler: async ({ caller, query }) => {
      const { q, kind, project, bbox, changedAfter } = query;
      const { count, name } = await readWords(db, q);
      if (count === 0) throw invalidMember('q', `'${q}' has no letters or digits. Search for the beginnings of words.`);
      if (count > MAX_WORDS) throw invalidMember('q', `Search for at most ${MAX_WORDS} words, not ${count}.`);
      const projectId = project === undefined ? undefined : (await visibleProject(db, caller, project)).id;
      // with the header, memberships are those of its tenant only
      const tenantId = projectId === undefined && caller.allTenants !== undefined ? caller.tenantId : undefined;
      const filter = { kind, tenantId, projectId, bbox, changedAfter };
      const page = await cursorPage(
        cursors,
        query,
        ['search', caller.userId, q, filter],
        (position, limit) => findEntries(db, caller, { words: q, name }, filter, position, limit),
        ({ rank, nameKey, id }) => ({ value: rank + nameKey, id }),
      );
      return { ...page, data: page.data.map(({ rank: _, nameKey: __, ...hit }) => hit) };
    },
  });
}
