import { newProject, owners, readers } from './projects.ts';
import type { Rows, Scene } from './row.ts';

/** A dataset with one series, `gauge`, in a new project. */
async function newGauge(scene: Scene): Promise<{ projectId: string; url: string; series: string }> {
  const projectId = await newProject(scene);
  const client = scene.w.as(scene.owner);
  const wanted = {
    timeSeriesSchema: { properties: [{ name: 'station', dataType: 'Text' }] },
    datasetProperties: { name: scene.mark },
  };
  const { body } = await client.post('/api/ts/dataset', wanted, { 'svc-project-id': projectId });
  const url = `/api/ts/dataset/${body.id}`;
  const { status } = await client.post(`${url}/timeseries`, series('gauge', scene.mark));
  if (status !== 201) throw new Error(`timeseries: ${status}`);
  return { projectId, url, series: `${url}/timeseries/gauge` };
}

const series = (id: string, name: string) => ({
  id,
  item: { name, unit: 'eumUmeter', item: 'eumIWaterLevel', dataType: 'Double' },
});

/** Belong to no tenant: every signed-in user reads them. */
const everybody = {
  allowed: { owner: 200, reader: 200, member: 200, stranger: 200, administrator: 200 },
  refused: {},
};

export default {
  'GET /api/ts/eum/item': { request: () => ({ url: '/api/ts/eum/item?text=level' }), ...everybody },
  'GET /api/ts/eum/unit': { request: () => ({ url: '/api/ts/eum/unit?text=meter' }), ...everybody },
  'POST /api/ts/dataset': {
    request: async (scene) => ({
      method: 'POST',
      url: '/api/ts/dataset',
      headers: { 'svc-project-id': await newProject(scene) },
      payload: { datasetProperties: { name: scene.mark } },
    }),
    ...owners(201),
  },
  'GET /api/ts/dataset/:id': {
    request: async (scene) => ({ url: (await newGauge(scene)).url }),
    ...readers,
  },
  'PUT /api/ts/dataset/:id/schema/properties': {
    request: async (scene) => ({
      method: 'PUT',
      url: `${(await newGauge(scene)).url}/schema/properties`,
      payload: { properties: [{ name: 'height', dataType: 'Double' }] },
    }),
    ...owners(204),
  },
  'POST /api/ts/dataset/:id/timeseries': {
    request: async (scene) => ({
      method: 'POST',
      url: `${(await newGauge(scene)).url}/timeseries`,
      payload: series('another', scene.mark),
    }),
    ...owners(201),
  },
  'GET /api/ts/dataset/:id/timeseries/list': {
    request: async (scene) => ({ url: `${(await newGauge(scene)).url}/timeseries/list` }),
    ...readers,
  },
  'POST /api/ts/dataset/:id/timeseries/query': {
    request: async (scene) => ({
      method: 'POST',
      url: `${(await newGauge(scene)).url}/timeseries/query`,
      payload: { conditions: [] },
    }),
    ...readers,
  },
  'GET /api/ts/dataset/:id/timeseries/:tsId': {
    request: async (scene) => ({ url: (await newGauge(scene)).series }),
    ...readers,
  },
  'PUT /api/ts/dataset/:id/timeseries/:tsId': {
    request: async (scene) => ({
      method: 'PUT',
      url: (await newGauge(scene)).series,
      payload: { properties: { station: scene.mark } },
    }),
    ...owners(204),
  },
  'DELETE /api/ts/dataset/:id/timeseries/:tsId': {
    request: async (scene) => ({ method: 'DELETE', url: (await newGauge(scene)).series }),
    ...owners(204),
  },
  'PUT /api/ts/dataset/:id/timeseries/:tsId/property': {
    request: async (scene) => ({
      method: 'PUT',
      url: `${(await newGauge(scene)).series}/property`,
      payload: { property: 'station', value: scene.mark },
    }),
    ...owners(204),
  },
  'POST /api/ts/dataset/:id/timeseries/:tsId/upload/csv': {
    request: async (scene) => ({
      method: 'POST',
      url: `${(await newGauge(scene)).series}/upload/csv`,
      headers: { 'content-type': 'text/csv' },
      payload: '2026-01-24;1\n',
    }),
    ...owners(204),
  },
  'POST /api/ts/dataset/:id/timeseries/:tsId/upload/json': {
    request: async (scene) => ({
      method: 'POST',
      url: `${(await newGauge(scene)).series}/upload/json`,
      payload: [['2026-01-24', 1]],
    }),
    ...owners(204),
  },
  'GET /api/ts/dataset/:id/timeseries/:tsId/values': {
    request: async (scene) => ({ url: `${(await newGauge(scene)).series}/values` }),
    ...readers,
  },
  'POST /api/ts/dataset/:id/timeseries/values': {
    request: async (scene) => ({
      method: 'POST',
      url: `${(await newGauge(scene)).url}/timeseries/values`,
      payload: ['gauge'],
    }),
    ...readers,
  },
  'DELETE /api/ts/dataset/:id/timeseries/:tsId/values': {
    request: async (scene) => ({ method: 'DELETE', url: `${(await newGauge(scene)).series}/values` }),
    ...owners(204),
  },
} satisfies Rows;
