import type { Answer, Client, User, World } from '../world.ts';

/** Path and query of a URL, for inject. */
export const local = (address: string) => address.replace(/^https?:\/\/[^/]+/, '');

/** The path by which programs read the dataset of a link: `/s/{token}` → `/api/share/{token}`. */
export const sharePath = (address: string) => local(address).replace(/^\/s\//, '/api/share/');

export async function newProject(client: Client, name = 'River', members: { user: User; role: string }[] = []) {
  const given = members.map(({ user, role }) => ({ userId: user.userId, role }));
  const answer = await client.post('/api/metadata/project', { name, members: given });
  if (answer.status !== 201) throw new Error(`project: ${JSON.stringify(answer.body)}`);
  return answer.body.id as string;
}

/** Uploads a file and returns its URL, for `uploadUrl` of a request. */
export async function upload(w: Pick<World, 'nobody'>, client: Client, content: string | Buffer): Promise<string> {
  const { body } = await client.get('/api/conversion/transfer/upload-url');
  const answer = await w.nobody.put(local(body.data), Buffer.from(content));
  if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${JSON.stringify(answer.body)}`);
  return body.data;
}

/** A request that copies a file; `more` replaces members of it. */
export const copyRequest = (projectId: string, uploadUrl: string, more: object = {}) => ({
  projectId,
  originalFileName: 'notes.txt',
  uploadUrl,
  outputDatasetData: { name: 'notes.txt' },
  readerName: 'FileReader',
  writerName: 'FileWriter',
  ...more,
});

export const start = (client: Client, request: object, headers: Record<string, string> = {}): Promise<Answer> =>
  client.post('/api/conversion/upload-convert', request, headers);

/** Waits for the end of a transfer and returns it. Throws after two and a half minutes. */
export async function untilEnd(client: Client, id: string): Promise<Answer['body']> {
  for (let tries = 0; tries < 5; tries++) {
    const { status, body } = await client.get(`/api/conversion/transfer/${id}`, { prefer: 'wait=30' });
    if (status !== 200) throw new Error(`transfer ${id}: ${status} ${JSON.stringify(body)}`);
    if (body.status === 'Completed' || body.status === 'Error') return body;
  }
  throw new Error(`Transfer ${id} does not end.`);
}

/** A small ASCII grid. */
export const ASCII_GRID = `ncols 4
nrows 3
xllcorner 500000
yllcorner 5500000
cellsize 10
NODATA_value -9999
1.5 2 3 4
5 6.25 7 -9999
9 10 11 12
`;
