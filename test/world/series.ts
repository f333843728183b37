import type { Client } from './client.ts';
import { newProject } from './transfers.ts';

export const LEVEL = { name: 'Level', unit: 'eumUmeter', item: 'eumIWaterLevel', dataType: 'Double' };
/** Properties of series. */
export const SCHEMA = [
  { name: 'station', dataType: 'Text' },
  { name: 'height', dataType: 'Double' },
  { name: 'since', dataType: 'DateTime' },
];

/** A dataset of time series in a new project. */
export async function newSeriesDataset(client: Client) {
  const projectId = await newProject(client, 'Gauges', []);
  const { status, body } = await client.post(
    '/api/ts/dataset',
    { timeSeriesSchema: { properties: SCHEMA }, datasetProperties: { name: 'gauges', metadata: { River: null } } },
    { 'svc-project-id': projectId },
  );
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { projectId, id: body.id as string, url: `/api/ts/dataset/${body.id}`, made: body };
}

export async function newSeries(client: Client, url: string, wanted: object = {}): Promise<string> {
  const { status, body } = await client.post(`${url}/timeseries`, { item: LEVEL, ...wanted });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return `${url}/timeseries/${body.id}`;
}
