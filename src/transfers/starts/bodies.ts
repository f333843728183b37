import { z } from 'zod';
import { Credits } from '../../credits/forms.ts';
import { withoutBidiControls } from '../../files/data/bidi-controls.ts';
import { chosenName } from '../../http/rules/chosen-names.ts';
import { descriptionText, freeForm } from '../../http/rules/names.ts';
import { queryBoolean } from '../../http/rules/query.ts';
import { fileNameForm, nameForm } from '../../projects/names.ts';
import { Summary } from '../queries.ts';
import { Transformation } from './transformation-form.ts';

/** Of a file that is read. */
const fileName = () => z.string().overwrite(withoutBidiControls).trim().min(1, 'must not be empty').max(255);
const text = (maxLength: number) => z.string().trim().min(1, 'must not be empty').max(maxLength);
const Parameter = z.object({ name: z.string(), value: z.unknown().optional() }).meta({ id: 'Parameter' });
const Parameters = z.array(Parameter).max(1000).optional();
/** Members of every start. */
const conversion = {
  readerParameters: Parameters,
  writerParameters: Parameters,
  transformations: z.array(Transformation).max(100).optional(),
  onBadRecord: z.enum(['fail', 'skip']).optional(),
  requiredLabels: z.array(z.string()).max(100).optional(),
  storageSizeGb: z.number().optional(),
  memoryRequestMb: z.number().optional(),
  cpuCoresRequest: z.number().optional(),
  nodeSize: z.string().optional(),
  maxCredits: Credits.optional(),
};
const OutputDatasetData = z
  .object({
    name: nameForm(),
    description: descriptionText().optional(),
    metadata: freeForm().optional(),
    properties: freeForm().optional(),
  })
  .meta({ id: 'OutputDatasetData' });
export const ImportBody = z
  .object({
    projectId: z.guid().toLowerCase().optional(),
    originalFileName: fileName().optional(),
    uploadUrl: text(8192),
    outputDatasetData: OutputDatasetData,
    readerName: text(100),
    writerName: text(100),
    ...conversion,
  })
  .meta({ id: 'ImportBody' });
export const ExportBody = z
  .object({
    readerName: text(100).optional(),
    writerName: text(100),
    targetFileName: chosenName(text(255).regex(/^[^/\\]*$/, 'must be a file name without a folder')).optional(),
    ...conversion,
  })
  .meta({ id: 'ExportBody' });
export const ConvertBody = z
  .object({
    outputProjectId: z.guid().toLowerCase().optional(),
    outputDatasetData: OutputDatasetData,
    readerName: text(100).optional(),
    writerName: text(100),
    ...conversion,
  })
  .meta({ id: 'ConvertBody' });
export const UpdateBody = z
  .object({
    originalFileName: fileName(),
    uploadUrl: text(8192),
    readerName: text(100),
    writerName: text(100).optional(),
    ...conversion,
  })
  .meta({ id: 'UpdateBody' });
export const AppendBody = z
  .object({
    originalFileName: fileName().optional(),
    uploadUrl: text(8192),
    readerName: text(100),
    writerName: text(100).optional(),
    ...conversion,
  })
  .meta({ id: 'AppendBody' });
export const UpdateFromBody = z
  .object({
    readerName: text(100).optional(),
    writerName: text(100).optional(),
    ...conversion,
  })
  .meta({ id: 'UpdateFromBody' });
/** Members of legacy starts. Readers and writers define the arguments. */
const legacy = {
  format: text(100),
  srid: z.union([z.int(), z.string()]).optional(),
  arguments: z.union([z.array(Parameter).max(1000), z.record(z.string(), z.unknown())]).optional(),
};
export const LegacyImportBody = z
  .object({
    projectId: z.guid().toLowerCase().optional(),
    appendDatasetId: z.guid().toLowerCase().optional(),
    uploadUrl: text(8192),
    // also the dataset's name, unless the request gives one
    fileName: fileNameForm(),
    destinations: z.array(z.string().max(100)).max(100).optional(),
    datasetImportData: OutputDatasetData.partial().optional(),
    ...legacy,
  })
  .meta({ id: 'LegacyImportBody' });
export const LegacyExportBody = z.object(legacy).meta({ id: 'LegacyExportBody' });
export const DryRun = z
  .object({ valid: z.literal(true), warnings: z.array(z.string()), credits: z.number().optional() })
  .meta({ id: 'DryRun' });
export type DryRun = z.infer<typeof DryRun>;
export const StartQuery = z.object({ dryRun: queryBoolean().optional() });
export const Started = z.union([Summary, DryRun]);
