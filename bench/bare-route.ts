import Fastify from 'fastify';
import pg from 'pg';

/**
 * Program: the baseline of the benchmark `read`, a minimal Fastify route that selects a row by its primary key.
 * Argument: database URL. Sends its address as an IPC message, and stops on SIGTERM.
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
