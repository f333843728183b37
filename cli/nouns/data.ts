import { type Noun, sectionOf } from '../noun.ts';

const converter = () => import('../commands/converter.ts');

/** Nouns of data: projects, datasets, transfers, formats. */
export const DATA: readonly Noun[] = sectionOf({ section: 'data' }, [
  {
    name: 'project',
    description: 'projects, their members and their access rules',
    load: async () => (await import('../commands/project.ts')).projectCommands,
  },
  {
    name: 'dataset',
    description: 'datasets',
    load: async () => (await import('../commands/dataset.ts')).datasetCommands,
  },
  {
    name: 'hierarchy',
    description: 'folders and files by path below a project; paths of folders end with a slash',
    load: async () => (await import('../commands/hierarchy.ts')).hierarchyCommands,
  },
  {
    name: 'search',
    description: 'find projects and datasets by words',
    load: async () => (await import('../commands/search.ts')).searchCommand,
  },
  {
    name: 'recycle-bin',
    description: 'deleted projects and datasets: restore them, or delete them for ever',
    load: async () => (await import('../commands/recycle-bin.ts')).recycleBinCommands,
  },
  {
    name: 'activity',
    description: 'who did what to a project, with all that is in it, or to a dataset, newest first',
    load: async () => (await import('../commands/activity.ts')).activityCommand,
  },
  {
    name: 'transfer',
    description: 'transfers: conversions and their progress',
    load: async () => (await import('../commands/transfer.ts')).transferCommands,
  },
  {
    name: 'reader',
    description: 'readers: formats that the platform reads',
    load: async () => (await converter()).readerCommands,
  },
  {
    name: 'writer',
    description: 'writers: formats that the platform writes',
    load: async () => (await converter()).writerCommands,
  },
  {
    name: 'ts',
    description: 'time series and their values',
    load: async () => (await import('../commands/ts.ts')).tsCommands,
  },
  {
    name: 'gis',
    description: 'features of datasets: queries by place and property',
    load: async () => (await import('../commands/gis.ts')).gisCommands,
  },
  {
    name: 'tile',
    description: 'map tiles of datasets: what there is, drawing ahead, checks',
    load: async () => (await import('../commands/tile.ts')).tileCommands,
  },
  {
    name: 'md',
    description: 'multidimensional datasets and their values',
    load: async () => (await import('../commands/md.ts')).mdCommands,
  },
  {
    name: 'inspect',
    description:
      'show the content of a file: format, coordinate system, extent, bands or fields, statistics; of local ones without a server',
    load: async () => (await import('../commands/inspect.ts')).inspectCommand,
  },
  {
    name: 'references',
    description: 'write where a DFS or NetCDF file has its values, for reading it in place as Zarr (kerchunk)',
    load: async () => (await import('../commands/references.ts')).referencesCommand,
  },
  {
    name: 'crs',
    description: 'coordinate reference systems of EPSG and Esri',
    load: async () => (await import('../commands/crs.ts')).crsCommands,
  },
  {
    name: 'eum',
    description: 'quantities and units of EUM, for items of time series',
    load: async () => (await import('../commands/eum.ts')).eumCommands,
  },
  {
    name: 'event',
    description: 'events of transfers, projects and datasets',
    load: async () => (await import('../commands/event.ts')).eventCommands,
  },
  {
    name: 'webhook',
    description: "webhooks, which send a tenant's events to an address (its owners)",
    load: async () => (await import('../commands/webhook.ts')).webhookCommands,
  },
]);
