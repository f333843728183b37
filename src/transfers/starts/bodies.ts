import { withoutBidiControls } from 'hydrofiles/text';
import { z } from 'zod';
import { Credits } from '../../credits/forms.ts';
import { chosenName } from '../../http/rules/chosen-names.ts';
import { component, number, texts } from '../../http/rules/members.ts';
import { descriptionText, metadataForm, propertiesForm } from '../../http/rules/names.ts';
import { queryBoolean } from '../../http/rules/query.ts';
import { fileNameForm, nameForm } from '../../projects/names.ts';
import { Summary } from '../queries.ts';
import { Transformation } from './transformation-form.ts';

const text = (maxLength: number) => z.string().trim().min(1, 'must not be empty').max(maxLength);
export const originalFileName = z
  .string()
  .overwrite(withoutBidiControls)
  .trim()
  .min(1, 'must not be empty')
  .max(255)
  .meta({ description: 'Name of the file; its extension tells the reader the format.', example: 'valley.asc' });
const uploadUrl = text(8192).meta({
  description: 'URL of the uploaded file, or of a file on another server.',
  example: 'https://platform.example/api/blob/staging/3f1e8a7c',
});
/** Maximum number of files that a transfer joins. */
const MAX_FILES = 10_000;
export const readerName = text(100).meta({
  description: 'Reader; see the list of readers.',
  example: 'AsciiGridReader',
});
const writerName = text(100).meta({ description: 'Writer; see the list of writers.', example: 'GeoTiffWriter' });
const Parameter = component('Parameter', {
  name: z.string().meta({ description: 'Name of the parameter, in any letter case.', example: 'SRID' }),
  value: z.unknown().optional().meta({ description: 'Value of the parameter, any JSON.', example: 25832 }),
});
export const Parameters = z.array(Parameter).max(1000).optional();
/** Members of every start. */
const conversion = {
  readerParameters: Parameters.describe('Parameters of the reader.'),
  writerParameters: Parameters.describe('Parameters of the writer.'),
  transformations: z.array(Transformation).max(100).optional().describe('Transformations, in this order.'),
  onBadRecord: z
    .enum(['fail', 'skip'])
    .optional()
    .describe('What to do with unreadable records: `fail` ends the transfer, `skip` omits and logs them.'),
  requiredLabels: z
    .array(z.string())
    .max(100)
    .optional()
    .meta({ description: 'Labels that the worker must have: `key=value` or `key`.', example: ['gpu=a100'] }),
  storageSizeGb: number('Scratch space in GB; default: estimated.').optional(),
  memoryRequestMb: number('Memory in MB, a multiple of 1024. Default: a limit of 4096.', 4096).optional(),
  cpuCoresRequest: number('Number of CPU cores that the transfer needs.').optional(),
  nodeSize: z.string().optional().meta({ description: 'Machine type.', example: 'Standard_D4s_v5' }),
  maxCredits: Credits.optional(),
};
const OutputDatasetData = component('OutputDatasetData', {
  name: nameForm().meta({ description: 'Name of the dataset.', example: 'Valley' }),
  description: descriptionText()
    .optional()
    .meta({ description: 'Description of the dataset.', example: 'Terrain of the valley' }),
  metadata: metadataForm.optional(),
  properties: propertiesForm.optional(),
});
/** One file, or several that become one. */
const files = {
  originalFileName: originalFileName.optional(),
  uploadUrl: uploadUrl.optional(),
  uploadUrls: z
    .array(component('UploadedFile', { uploadUrl, originalFileName }))
    .min(1)
    .max(MAX_FILES)
    .optional()
    .describe('Files that the first transformation joins, instead of `uploadUrl` and `originalFileName`.'),
};
/** Limits of bodies with the addresses of ten thousand files. */
export const FILES_LIMITS = { bodyLimit: 8 * 2 ** 20, maxMembers: 60_000 } as const;
export const ImportBody = component('ImportBody', {
  projectId: z
    .guid()
    .toLowerCase()
    .optional()
    .describe('Id of the project of the new dataset; else the header `svc-project-id`.'),
  ...files,
  outputDatasetData: OutputDatasetData.describe('Metadata of the new dataset.'),
  readerName,
  writerName,
  ...conversion,
});
export const ExportBody = component('ExportBody', {
  readerName: readerName.optional(),
  writerName,
  targetFileName: chosenName(text(255).regex(/^[^/\\]*$/, 'must be a file name without a folder'))
    .optional()
    .meta({ description: 'Name of the output file.', example: 'valley.tif' }),
  ...conversion,
});
export const ConvertBody = component('ConvertBody', {
  outputProjectId: z
    .guid()
    .toLowerCase()
    .optional()
    .describe('Project of the new dataset. Default: that of the input.'),
  outputDatasetData: OutputDatasetData.describe('Metadata of the new dataset.'),
  readerName: readerName.optional(),
  writerName,
  ...conversion,
});
export const UpdateBody = component('UpdateBody', {
  ...files,
  readerName,
  writerName: writerName.optional(),
  ...conversion,
});
export const AppendBody = component('AppendBody', {
  ...files,
  readerName,
  writerName: writerName.optional(),
  ...conversion,
});
export const UpdateFromBody = component('UpdateFromBody', {
  readerName: readerName.optional(),
  writerName: writerName.optional(),
  ...conversion,
});
/** Members of legacy starts. Readers and writers define the arguments. */
const legacy = {
  format: text(100).meta({
    description: 'Name of a reader or writer, or a format that only one of them has.',
    example: 'geotiff',
  }),
  srid: z
    .union([z.int(), z.string()])
    .optional()
    .meta({ description: 'EPSG or ESRI code of the coordinate system.', example: 25832 }),
  arguments: z
    .union([z.array(Parameter).max(1000), z.record(z.string(), z.unknown())])
    .optional()
    .meta({
      description: 'Parameters of the reader or writer: a list, or an object.',
      example: [{ name: 'SRID', value: 25832 }],
    }),
};
export const LegacyImportBody = component('LegacyImportBody', {
  projectId: z
    .guid()
    .toLowerCase()
    .optional()
    .describe('Id of the project of the new dataset; else the header `svc-project-id`.'),
  appendDatasetId: z.guid().toLowerCase().optional().describe('Dataset to append to.'),
  uploadUrl,
  // also the dataset's name, unless the request gives one
  fileName: fileNameForm().meta({ description: 'Name of the imported file.', example: 'valley.asc' }),
  destinations: z
    .array(z.string().max(100))
    .max(100)
    .optional()
    .meta({ description: 'Kinds of stores, for legacy clients. Ignored: the format decides.', example: ['Project'] }),
  datasetImportData: OutputDatasetData.partial()
    .optional()
    .meta({
      description: 'Name, description, metadata and properties of the new dataset.',
      example: { name: 'Valley' },
    }),
  ...legacy,
});
export const LegacyExportBody = component('LegacyExportBody', legacy);
export const DryRun = component('DryRun', {
  valid: z.literal(true).describe('Always true.'),
  warnings: texts('Warnings, as sentences.'),
  credits: number('Credits that the start would reserve. Absent: it is free.', 24.5).optional(),
});
export type DryRun = z.infer<typeof DryRun>;
export const StartQuery = z.object({
  dryRun: queryBoolean()
    .optional()
    .describe('Checks the request and the first bytes of stored input, and starts nothing.'),
});
export const Started = z.union([Summary, DryRun]);
