/** The dataset that a transfer is to make, as its request describes it. */
export interface DatasetData {
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  properties?: Record<string, unknown> | undefined;
}

export const newDataset = ({ name, description, metadata = {}, properties = {} }: DatasetData) => ({
  name,
  ...(description === undefined ? {} : { description }),
  metadata,
  properties,
});
