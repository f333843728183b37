import { z } from 'zod';
import { Dataset } from '../datasets/record.ts';
import { Project, ProjectItem } from '../projects/record.ts';

export const ItemType = z.enum(['Project', 'Dataset']);
export type ItemType = z.infer<typeof ItemType>;

/** What a record has besides while it is in the bin. */
export const deletion = { deletedAt: z.string(), deletedBy: z.string() };

/** Projects and datasets in one list. */
export const BinItem = z
  .object({
    id: z.string(),
    name: z.string(),
    itemType: ItemType,
    datasetType: z.string().optional(),
    datasetFormat: z.string().optional(),
    /** Of 1024 bytes, begun ones counted; of a project all that was deleted with it. */
    sizeKB: z.number().optional(),
    /** Where it lies: the project of a dataset, the parent of a subproject. */
    projectId: z.string().optional(),
    ...deletion,
  })
  .meta({ id: 'DeletedItem' });

export const DeletedProjectItem = ProjectItem.extend(deletion).meta({ id: 'DeletedProjectItem' });
export const DeletedProject = Project.extend(deletion).meta({ id: 'DeletedProject' });
export const DeletedDataset = Dataset.extend(deletion).meta({ id: 'DeletedDataset' });

/** What a restore would do, whom to ask for what the caller lacks, and what a purge would destroy. */
export const Preview = z
  .object({
    /** From the top down; the item comes last. */
    restores: z.array(z.object({ id: z.string(), name: z.string(), itemType: ItemType })),
    missing: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        privilege: z.enum(['DeleteProject', 'DeleteContent']),
        /** User ids of those who can give it. */
        grantableBy: z.array(z.string()),
      }),
    ),
    /** With all that lies below; `bytes` of the datasets' contents. */
    removes: z.object({ projects: z.number(), datasets: z.number(), bytes: z.number() }),
  })
  .meta({ id: 'RestorePreview' });
export type Preview = z.infer<typeof Preview>;
