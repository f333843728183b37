import Fastify from 'fastify';
import pg from 'pg';

/**
 * A program, the peer of `read`: a bare Fastify route that answers a row by its primary key, as anybody would write it in ten lines. Takes
 * the address of the database; tells by a message where it listens, and goes with SIGTERM.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 20 });
const app = Fastify();
app.get<{ Params: { id: string } }>('/project/:id', async ({ params }) => {
  const { rows } = await pool.query('select id, name, description, created_at from projects where id = $1', [
    params.id,
  ]);
  return rows[0];
});
const address = await app.listen({ port: 0 });
process.once('SIGTERM', () => void app.close().then(() => process.exit()));
process.send?.({ address });
