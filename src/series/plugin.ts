import type { FileThreads } from '../datasets/files/file-threads.ts';
import type { Database } from '../db.ts';
import type { App } from '../http/route.ts';
import { eumRoutes } from './eum.routes.ts';
import { timeSeriesRoutes } from './routes.ts';
import { csvUploadRoutes } from './upload-csv.routes.ts';
import { jsonUploadRoutes } from './upload-json.routes.ts';
import { seriesValueRoutes } from './values.routes.ts';

export async function seriesPlugin(app: App, options: { db: Database; files: FileThreads }) {
  await app.register(eumRoutes);
  await app.register(timeSeriesRoutes, options);
  await app.register(seriesValueRoutes, options);
  await app.register(csvUploadRoutes, options);
  await app.register(jsonUploadRoutes, options);
}
