import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../../src/accounts/account.ts';
import type { Project } from '../../src/projects/record.ts';
import { type Api, connectApi } from '../client.ts';
import type { Env } from '../env.ts';
import { importFile } from './conversions.ts';
import type { Login, Story } from './outline.ts';
import { newPassword } from './passwords.ts';
import { terrain } from './terrain.ts';

export interface Neighbourhood {
  env: Env;
  admin: Login;
  /** The terrain, which gets a link. */
  dataset: string;
}

/**
 * Makes what a platform has after a while: people with roles, folders, series, map tiles, an invitation, a link, a
 * deleted item and a failed import. Returns the logins of the people.
 */
export async function makeNeighbours(
  { work, places, projectId, step, result }: Story,
  { env, admin, dataset }: Neighbourhood,
): Promise<Login[]> {
  step('Colleagues, folders, series, map tiles, an invitation, a link, a deleted dataset and a failed import.');
  const { api } = work;
  /** Each with a file of logins of its own: Ida is logged in. */
  const logIn = async (login: Login): Promise<Api> => {
    const one = connectApi({ ...env, XDG_CONFIG_HOME: join(places.scratch, `login-${login.id}`) });
    await one.logIn({ id: login.id, password: login.password });
    return one;
  };
  const asAdmin = await logIn(admin);
  const ben = await makePerson(asAdmin, 'ben', 'Ben Okoye');
  const carla = await makePerson(asAdmin, 'carla', 'Carla Ruiz');
  for (const [{ userId }, role] of [[ben, 'Contributor'] as const, [carla, 'Reader'] as const])
    await api.call('POST', `/api/metadata/project/${projectId}/member`, { body: { userId, role } });
  const folder = async (name: string) =>
    (await api.call<Project>('POST', `/api/metadata/project/${projectId}/subproject`, { body: { name } })).body.id;
  const [survey, records] = [await folder('Survey'), await folder('Gauge records')];

  const make = (file: string, [folderId, name]: [string, string], converters: object) =>
    importFile(work, file, { projectId: folderId, outputDatasetData: { name }, ...converters });
  const asGrid = { readerName: 'AsciiGridReader', readerParameters: [{ name: 'SRID', value: terrain.srid }] };

  await make(join(places.files, 'terrain.asc'), [survey, 'Map of the terrain'], {
    ...asGrid,
    writerName: 'TilingWriter',
    writerParameters: [{ name: 'TilingSchemes', value: [{ schemeId: 'heights', schemeType: 'XYZ' }] }],
  });
  const asSeries = { readerName: 'Dfs0Reader', writerName: 'TSWriter' };
  await make(join(places.files, 'gauges.dfs0'), [records, 'Depths in January'], asSeries);

  const lower = { name: 'Lower valley', description: 'From the lake to the mouth, surveyed from spring on.' };
  const lowerId = (await api.call<Project>('POST', '/api/metadata/project', { body: lower })).body.id;
  const harbour = { name: 'Harbour', accessLevel: 'Shared' };
  const ofBen = await logIn(ben);
  await ofBen.call('POST', '/api/metadata/project', { body: harbour });

  const draft = join(places.scratch, 'draft.txt');
  await writeFile(draft, 'First thoughts about the lower valley.\n');
  const asFile = { readerName: 'FileReader', writerName: 'FileWriter' };
  const copied = await make(draft, [lowerId, 'Draft'], asFile);
  await api.call('DELETE', `/api/metadata/dataset/${copied.importResults?.[0]?.datasetId}`);
  const torn = join(places.scratch, 'torn.asc');
  await writeFile(torn, 'ncols 4\nnrows 3\nxllcorner 600000\nyllcorner 5722000\ncellsize 25\n1 2 3\n');
  const isMade = await make(torn, [lowerId, 'Torn survey'], { ...asGrid, writerName: 'GeoTiffWriter' }).then(
    () => true,
    () => false,
  );
  work.stop.throwIfAborted();
  if (isMade) throw new Error('A torn file was imported.');

  const invitation = { email: 'dana@example.org', role: 'Reader' };
  await api.call('POST', `/api/metadata/project/${projectId}/invitation`, { body: invitation });
  const share = { name: 'For the municipality', downloads: 'Formats' };
  const link = await api.call<{ url: string }>('POST', `/api/metadata/dataset/${dataset}/share`, { body: share });
  result(`the link to the terrain: ${link.body.url}`);
  return [ben, carla];
}

async function makePerson(admin: Api, id: string, name: string): Promise<Login & { userId: string }> {
  const password = newPassword();
  const { body } = await admin.call<Account>('POST', '/api/accounts', {
    body: { id, name, password, activated: true },
  });
  return { id, password, userId: body.userId };
}
