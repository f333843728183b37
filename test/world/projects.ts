import type { User, World } from '../world.ts';

/** A root project of this user in his home tenant. */
export async function newProject(w: World, user: Pick<User, 'userId'>, name = 'Project'): Promise<string> {
  const { status, body } = await w.as(user).post('/api/metadata/project', { name });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}
