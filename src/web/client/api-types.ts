// Types of the REST API. Written by `npm run api-types`; do not edit.

export type AcceptInvitation = { token?: string; id?: string };
export type AcceptedInvitation = { projectId: string; projectName: string; role: 'Owner' | 'Contributor' | 'Reader' };
export type AccessToken = { accessToken: IssuedToken; tokenType: string };
export type Account = {
  id: string;
  userId: string;
  tenantId?: string;
  name: string;
  email?: string;
  company?: string;
  phoneNumber?: string;
  roles: string;
  metadata: Record<string, unknown>;
  activated: boolean;
  enabled: boolean;
  locked: boolean;
  lockedDateEnd?: string;
  noOfUnsuccessfulLoginAttempts: number;
  lastLoginAttemptedDate?: string;
  lastLoginAt?: string;
  secondFactor: 'none' | 'required' | 'registered';
  allowMePasswordChange: boolean;
  userGroups: string[];
  rowVersion: string;
};
export type Activity = {
  time: string;
  by?: string;
  action: string;
  subject: ActivitySubject;
  changed?: string[];
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
};
export type ActivityCursorPage = { cursor?: string; data: Activity[] };
export type ActivitySubject = { id: string; kind: 'project' | 'dataset' | 'account'; name?: string };
export type AdminSummary = {
  pause: Pause;
  queue: QueueSummary;
  workers: WorkerSummary;
  failures: FailureSummary;
  webhooks: WebhookSummary;
  blobs: BlobSummary;
  accounts: number;
  tenants: number;
  build: Build;
};
export type ApiKey = {
  id: string;
  name: string;
  role: string;
  tenantId: string;
  expiresAt?: string;
  allowedNetworks?: string[];
  createdAt: string;
  createdBy: string;
  lastUsedAt?: string;
  lastUsedFrom?: string;
};
export type ApiKeyList = { data: ApiKey[] };
export type AppendBody = {
  originalFileName?: string;
  uploadUrl?: string;
  uploadUrls?: UploadedFile[];
  readerName: string;
  writerName?: string;
  readerParameters?: Parameter[];
  writerParameters?: Parameter[];
  transformations?: Transformation[];
  onBadRecord?: 'fail' | 'skip';
  requiredLabels?: string[];
  storageSizeGb?: number;
  memoryRequestMb?: number;
  cpuCoresRequest?: number;
  nodeSize?: string;
  maxCredits?: number;
};
export type AppendedCounts = { present: number; added: number };
export type AuditEntry = {
  id: number;
  time: string;
  action: string;
  accountId?: string;
  subject: string;
  tenantId?: string;
  address?: string;
  agent?: string;
  requestId?: string;
  reason?: string;
  details: Record<string, unknown>;
  subjectName?: string;
  accountName?: string;
};
export type AuditEntryCursorPage = { cursor?: string; data: AuditEntry[] };
export type BasemapLayers = {
  layers: { number: number; type: 'raster' | 'vector'; bounds: number[]; minzoom: number; maxzoom: number }[];
};
export type BillingReference = { billingReference: string; billingReferenceTag: string; billingReferenceType: string };
export type BlobSummary = { damagedBlobs: number; missingBlobs: number };
export type BlobVerification = {
  id: string;
  startedAt: string;
  finishedAt?: string;
  sample: boolean;
  totalBlobs: number;
  checkedBlobs: number;
  checkedBytes: number;
  problems: number;
};
export type Build = { version: string; commit?: string };
export type CalculateStatisticsTransformation = { type: 'calculateStatisticsTransformation' };
export type CalculateTransformation = { type: 'calculateTransformation'; calculate: CalculatedItem[]; keep?: boolean };
export type CalculatedItem = { name: string; expression: string; unit?: string; item?: string | number };
export type CancelJobAnswer = { id: string };
export type Capabilities = {
  canEdit: boolean;
  canEditAccessLevel: boolean;
  canDelete: boolean;
  canGrantAccess: boolean;
  canCreateContent: boolean;
  canListContent: boolean;
  canUpdateContent: boolean;
  canDeleteContent: boolean;
  canReadContent: boolean;
};
export type ChangeFeatureTenantBody = { enabled: boolean; rowVersion?: string };
export type ChangeHierarchyAnswer = { results: HierarchyResult[] };
export type ChangedAccessLevel = {
  id: string;
  accessLevel: 'Confidential' | 'Private' | 'Shared';
  rowVersion?: string;
};
export type ChangedDataset = {
  id: string;
  name: string;
  description?: string;
  metadata?: Record<string, unknown>;
  properties?: Record<string, unknown>;
  tags?: string[];
  temporalInformation?: {
    startTime?: string;
    endTime?: string;
    interval?: string | number;
    resolution?: string | number;
  };
  spatialInformation?: {
    location?: string;
    primarySpatialReference?: string;
    srid?: number;
    resolution?: string | number;
  };
  permissions?: Permission[];
  rowVersion?: string;
};
export type ChangedMembers = {
  members?: { userId: string; role: 'Owner' | 'Contributor' | 'Reader' }[];
  rowVersion?: string;
};
export type ChangedProject = {
  name: string;
  description?: string;
  metadata?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  accessLevel?: 'Confidential' | 'Private' | 'Shared';
  permissions?: Permission[];
  id: string;
  rowVersion?: string;
};
export type ChangedTimeSeries = { properties?: Record<string, unknown> };
export type ChangedTimeSeriesProperty = { property: string; value: unknown };
export type ChangedTimeSeriesSchema = { properties: NewTimeSeriesProperty[] };
export type Citation = { text: string; bibtex: string; datacite: Record<string, unknown> };
export type ContoursTransformation = {
  type: 'contoursTransformation';
  contours: { levels?: number[]; interval?: number; base?: number; as?: 'lines' | 'polygons' };
};
export type ConvertBody = {
  outputProjectId?: string;
  outputDatasetData: OutputDatasetData;
  readerName?: string;
  writerName: string;
  readerParameters?: Parameter[];
  writerParameters?: Parameter[];
  transformations?: Transformation[];
  onBadRecord?: 'fail' | 'skip';
  requiredLabels?: string[];
  storageSizeGb?: number;
  memoryRequestMb?: number;
  cpuCoresRequest?: number;
  nodeSize?: string;
  maxCredits?: number;
};
export type ConvertSharedBody = { writerName: string; writerParameters?: Parameter[] };
export type Converter = {
  name: string;
  otherNames?: string[];
  description: string;
  datasetFormat: string;
  canAppend?: boolean;
  parameters: ConverterParameter[];
  transformations?: string[];
  writers?: string[];
};
export type ConverterList = { data: Converter[] };
export type ConverterParameter = {
  name: string;
  description: string;
  dataType: string;
  required: boolean;
  defaultValue?: unknown;
  allowedValues?: unknown[];
  minimum?: number;
  maximum?: number;
};
export type CoordinateSystem = {
  id: number;
  name: string;
  authority: string;
  aliases?: string[];
  areaOfUse?: { name: string; west: number; south: number; east: number; north: number };
  wkt: string;
  wkt2: string;
  proj4String?: string;
};
export type CoordinateSystemPage = { totalCount?: number; data: CoordinateSystem[] };
export type CopyDatasetBody = { targetProjectId: string; targetTenantId: string };
export type CreateAccountBody = {
  id: string;
  password: string;
  name?: string;
  email?: string | '';
  company?: string;
  phoneNumber?: string;
  roles?: string;
  metadata?: Record<string, unknown>;
  activated?: boolean;
  enabled?: boolean;
  allowMePasswordChange?: boolean;
  userGroups?: string[];
};
export type CreateCreditBody = {
  credits: number;
  billingReference: NewBillingReference;
  salesOrderId: string;
  expiresAt: string;
  tenantId: string;
};
export type CreateCreditDetailBody = { tenantId: string };
export type CreateCreditDetailExtendedBody = { tenantId: string };
export type CreateCreditUnassignedBody = { billingReference?: string; billingReferenceType?: string };
export type CreateCreditUnassignedDetailBody = { billingReference?: string; billingReferenceType?: string };
export type CreateFirstAdministratorAnswer = { userId: string; tenantId: string };
export type CreateFirstAdministratorBody = {
  token: string;
  id: string;
  password: string;
  name?: string;
  email?: string | '';
  tenantName?: string;
};
export type CreateKeyBody = {
  name: string;
  role: 'Owner' | 'Contributor' | 'Reader';
  expiresAt?: string;
  allowedNetworks?: string[];
};
export type CreateRecoveryCodesAnswer = { recoveryCodes: string[] };
export type CreateTenantBody = { name: string; ownerUserId?: string };
export type CreateWebhookAnswer = {
  id: string;
  url: string;
  types: string[];
  status: 'Active' | 'Failing' | 'Disabled';
  failingSince?: string;
  createdAt: string;
  secret: string;
};
export type CreateWebhookBody = {
  url: string;
  types?: (
    | 'svc.platform.events.transferstartedevent'
    | 'svc.platform.events.transferprogressevent'
    | 'svc.platform.events.transferfinishedevent'
    | 'svc.platform.events.projectdestroyedevent'
    | 'svc.platform.events.datasetdestroyedevent'
    | 'svc.platform.events.refreshtokenreusedevent'
    | 'svc.platform.events.creditsexpiredevent'
    | 'svc.platform.events.creditsexpiringevent'
    | 'svc.platform.events.projectcreatedevent'
    | 'svc.platform.events.projectchangedevent'
    | 'svc.platform.events.projectmovedevent'
    | 'svc.platform.events.projectdeletedevent'
    | 'svc.platform.events.projectrestoredevent'
    | 'svc.platform.events.memberschangedevent'
    | 'svc.platform.events.datasetcreatedevent'
    | 'svc.platform.events.datasetchangedevent'
    | 'svc.platform.events.datasetdeletedevent'
    | 'svc.platform.events.datasetrestoredevent'
    | 'svc.platform.events.creditschangedevent'
    | 'svc.platform.events.previewreadyevent'
  )[];
  secret?: string;
};
export type CreateWebhookTestAnswer = { status?: number; milliseconds: number; error?: string };
export type Credentials = {
  id?: string;
  password?: string;
  otp?: string;
  otpAuthenticator?: string;
  currentPassword?: string;
};
export type CreditAmount = { credits: number };
export type CreditBalance = { status: 'Available' | 'Reserved' | 'Spent' | 'Expired'; credits: number };
export type CreditBalanceList = { data: CreditBalance[] };
export type CreditDetail = {
  status: 'Available' | 'Reserved' | 'Spent' | 'Expired';
  credits: number;
  expiresAt: string;
  salesOrderId: string;
  billingReference: BillingReference;
};
export type CreditDetailList = { data: CreditDetail[] };
export type CreditEntry = {
  seq: number;
  kind: 'Add' | 'Reserve' | 'Spend' | 'Release' | 'Move' | 'Expire';
  account: 'Issued' | 'Available' | 'Reserved' | 'Spent' | 'Expired';
  credits: number;
  lotId: number;
  expiresAt: string;
  salesOrderId: string;
  projectId?: string;
  createdAt: string;
  createdBy?: string;
  requestId?: string;
};
export type CreditEntryList = { data: CreditEntry[] };
export type CreditForecast = {
  available: number;
  spentPerDay: number;
  lastsUntil?: string;
  expiring: ExpiringCredits[];
};
export type CreditReservation = { credits: number; operationId: string };
export type CreditVerification = { valid: boolean; pools: number; entries: number; wrong?: WrongCreditEntry };
export type CrsTransformation = { type: 'crsTransformation'; inputSrid?: number | string; outputSrid: number | string };
export type DamagedBlob = {
  blob: string;
  problem: 'damaged' | 'missing';
  foundAt: string;
  kind: 'dataset' | 'upload' | 'transfer';
  id: string;
  title: string;
  projectId?: string;
};
export type DamagedBlobList = { data: DamagedBlob[] };
export type Dataset = {
  id: string;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  updatedBy: string;
  name: string;
  description?: string;
  datasetType: string;
  datasetFormat: string;
  projectId: string;
  metadata: Record<string, unknown>;
  properties: Record<string, unknown>;
  tags: string[];
  temporalInformation?: Record<string, unknown>;
  spatialInformation?: Record<string, unknown>;
  storageSize: number;
  rowVersion: string;
  hasThumbnail: boolean;
  contentProblem?: 'damaged' | 'missing';
  permissions?: { principals: string[]; operation: string; type: string }[];
  dataPath: string;
  sasToken?: string;
};
export type DatasetContent = {
  time: string;
  by?: string;
  size?: number;
  xxh3?: string;
  sha256?: string;
  current: boolean;
  transferId?: string;
};
export type DatasetContentCursorPage = { cursor?: string; data: DatasetContent[] };
export type DatasetList = { data: Dataset[] };
export type DatasetSummary = { id: string; name: string; datasetType: string; dataPath: string };
export type DatasetSummaryList = { data: DatasetSummary[] };
export type DefineFeatureBody = { name: string; type: 'Application' | 'Service'; url?: string; responseUrl?: string };
export type DeleteTenantMemberAnswer = { projectRoles: number; projectsWithoutOwner: number };
export type DeletedDataset = {
  id: string;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  updatedBy: string;
  name: string;
  description?: string;
  datasetType: string;
  datasetFormat: string;
  projectId: string;
  metadata: Record<string, unknown>;
  properties: Record<string, unknown>;
  tags: string[];
  temporalInformation?: Record<string, unknown>;
  spatialInformation?: Record<string, unknown>;
  storageSize: number;
  rowVersion: string;
  hasThumbnail: boolean;
  contentProblem?: 'damaged' | 'missing';
  permissions?: { principals: string[]; operation: string; type: string }[];
  dataPath: string;
  sasToken?: string;
  deletedAt: string;
  deletedBy: string;
};
export type DeletedDatasetList = { data: DeletedDataset[] };
export type DeletedItem = {
  id: string;
  name: string;
  itemType: 'Project' | 'Dataset';
  datasetType?: string;
  datasetFormat?: string;
  sizeKB?: number;
  projectId?: string;
  deletedAt: string;
  deletedBy: string;
  removedAt: string;
};
export type DeletedItemOffsetPage = { totalCount: number; offset: number; limit: number; data: DeletedItem[] };
export type DeletedProject = {
  id: string;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  updatedBy: string;
  name: string;
  description?: string;
  accessLevel: string;
  hasThumbnail: boolean;
  inheritsMembers: boolean;
  rowVersion: string;
  parentProjectId?: string;
  metadata: Record<string, unknown>;
  settings: Record<string, unknown>;
  members: ProjectMember[];
  capabilities: Capabilities;
  permissions?: { principals: string[]; operation: string; type: string }[];
  deletedAt: string;
  deletedBy: string;
};
export type DeletedProjectItem = {
  id: string;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  updatedBy: string;
  name: string;
  description?: string;
  accessLevel: string;
  hasThumbnail: boolean;
  inheritsMembers: boolean;
  rowVersion: string;
  parentProjectId?: string;
  deletedAt: string;
  deletedBy: string;
};
export type DeletedProjectItemList = { data: DeletedProjectItem[] };
export type DeletedTimeSeriesValues = { deleted: number };
export type Delivery = {
  eventId: string;
  offset: number;
  type: string;
  state: 'Pending' | 'Delivered' | 'Failed';
  attempts: number;
  status?: number;
  error?: string;
  nextAttemptAt?: string;
  createdAt: string;
  updatedAt: string;
};
export type DeliveryCursorPage = { cursor?: string; data: Delivery[] };
export type Drain = { scope: 'all' | 'host' | 'pool'; name: string; since: string; accountId: string };
export type DrainWorkersAnswer = { drains: Drain[]; workers: Worker[]; running: number; drained: boolean };
export type DrainWorkersBody = { worker?: string; host?: string };
export type DryRun = { valid: true; warnings: string[]; credits?: number };
export type EumItem = { code: number; identifier: string; name: string; units?: string[] };
export type EumItemList = { data: EumItem[] };
export type EumUnit = { code: number; identifier: string; name: string; symbol: string };
export type EumUnitList = { data: EumUnit[] };
export type Event = {
  specversion: string;
  id: string;
  source: string;
  type: string;
  subject?: string;
  time: string;
  datacontenttype: string;
  customerid?: string;
  projectid?: string;
  userid?: string;
  resourceid?: string;
  data: Record<string, unknown>;
  offset: number;
};
export type EventList = { data: Event[] };
export type ExpiredCredits = { credits: number; lots: number; pools: number };
export type ExpiringCredits = { expiresAt: string; credits: number; unspent: number };
export type ExportBody = {
  readerName?: string;
  writerName: string;
  targetFileName?: string;
  readerParameters?: Parameter[];
  writerParameters?: Parameter[];
  transformations?: Transformation[];
  onBadRecord?: 'fail' | 'skip';
  requiredLabels?: string[];
  storageSizeGb?: number;
  memoryRequestMb?: number;
  cpuCoresRequest?: number;
  nodeSize?: string;
  maxCredits?: number;
};
export type ExtendedCreditDetail = {
  status: 'Available' | 'Reserved' | 'Spent' | 'Expired';
  credits: number;
  expiresAt: string;
  salesOrderId: string;
  billingReference: BillingReference;
  projectId?: string;
  projectName?: string;
  operationId?: string;
  createdAt: string;
  createdBy?: string;
};
export type ExtendedCreditDetailList = { data: ExtendedCreditDetail[] };
export type FailureGroup = {
  fingerprint: string;
  sentence: string;
  type: string;
  reader?: string;
  writer?: string;
  count: number;
  open: number;
  firstAt: string;
  lastAt: string;
  exampleId: string;
  exampleError: string;
};
export type FailureGroupList = { data: FailureGroup[] };
export type FailureSummary = { lastDay: number; kinds: number; periodicTasks: string[] };
export type Feature = {
  type: 'Feature';
  id?: string | number;
  geometry: unknown;
  properties: Record<string, unknown>;
  links?: Link[];
};
export type FeatureCollectionDescription = {
  id: string;
  title: string;
  itemType: string;
  itemCount?: number;
  extent?: FeatureExtent;
  crs?: string[];
  storageCrs?: string;
  links: Link[];
};
export type FeatureCollections = { links: Link[]; collections: FeatureCollectionDescription[] };
export type FeatureConformance = { conformsTo: string[] };
export type FeatureDefinition = {
  featureId: string;
  name: string;
  type: 'Application' | 'Service';
  url?: string;
  responseUrl?: string;
  rowVersion: string;
};
export type FeatureDefinitionList = { data: FeatureDefinition[] };
export type FeatureDescription = {
  id: string;
  name: string;
  geometryType: string;
  hasZ: boolean;
  hasM: boolean;
  featureCount?: number;
  properties: FeatureProperty[];
  hasIds: boolean;
  extent?: number[];
  storedExtent?: number[];
  crs?: { uri?: string; srid?: string; name: string; wkt: string };
  hasIndex: boolean;
  version: string;
};
export type FeatureExtent = { spatial: { bbox: number[][]; crs: string } };
export type FeatureLandingPage = { title: string; description: string; links: Link[] };
export type FeaturePage = {
  type: 'FeatureCollection';
  timeStamp: string;
  features: Feature[];
  numberMatched?: number;
  numberReturned: number;
  skipped?: SkippedFeature[];
  links: Link[];
};
export type FeatureProperty = {
  name: string;
  type: 'string' | 'integer' | 'integer64' | 'real' | 'boolean' | 'date' | 'dateTime' | 'json';
  width?: number;
  decimals?: number;
};
export type FeatureSwitch = { enabled: boolean; rowVersion: string };
export type FeatureTenant = { tenantId: string; name: string; enabled: boolean; licensedAt: string };
export type FeatureTenantList = { data: FeatureTenant[] };
export type FoundItem = { id: string; itemType: 'Project' | 'Dataset'; name: string; projectId?: string; path: string };
export type FoundItemList = { data: FoundItem[] };
export type GetAccountRemovalAnswer = { groups: number; tenants: number; projects: number; logins: number };
export type GetBlobStoreAnswer = {
  place?: string;
  sweptAt?: string;
  stoppedAt?: string;
  stoppedBecause?: string;
  allBlobs: number;
  allBytes: number;
  unknownBlobs: number;
  unknownBytes: number;
  confirmed?: number;
  damagedBlobs: number;
  missingBlobs: number;
  verification?: BlobVerification;
};
export type GetDatasetDownloadUrlAnswer = { data: string };
export type GetHealthLiveAnswer = { status: string };
export type GetHealthReadyAnswer = { status: string };
export type GetPasswordPolicyAnswer = {
  requiredLength: number;
  requiredUniqueChars: number;
  requireNonAlphanumeric: boolean;
  requireLowercase: boolean;
  requireUppercase: boolean;
  requireDigit: boolean;
};
export type GetSasTokenAnswer = { data: string };
export type GetServiceBaseUriAnswer = { data: string };
export type GetUploadUrlAnswer = { data: string };
export type GivenParameter = { name: string; value: unknown };
export type Group = {
  id: string;
  name: string;
  users: string[];
  metadata: Record<string, unknown>;
  rowVersion: string;
};
export type GroupBody = { id?: string; name?: string; users?: string[]; metadata?: Record<string, unknown> };
export type GroupChange = {
  id?: string;
  name?: string;
  users?: string[];
  metadata?: Record<string, unknown>;
  rowVersion?: string;
};
export type GroupSecondFactor = { entries: string[]; rowVersion: string };
export type HierarchyActions = {
  actions?: {
    type: 'PathActionCreate' | 'PathActionCreateIfNotExists' | 'PathActionDelete' | 'PathActionMove';
    path: string;
    newPath?: string;
    isFolder?: boolean;
  }[];
  defaultAccessLevel?: 'Confidential' | 'Private' | 'Shared';
  sasTokenExpiration?: string;
};
export type HierarchyResult = { projectId: string; datasetId?: string; path: string; sasToken: string };
export type ImportBody = {
  projectId?: string;
  originalFileName?: string;
  uploadUrl?: string;
  uploadUrls?: UploadedFile[];
  outputDatasetData: OutputDatasetData;
  readerName: string;
  writerName: string;
  readerParameters?: Parameter[];
  writerParameters?: Parameter[];
  transformations?: Transformation[];
  onBadRecord?: 'fail' | 'skip';
  requiredLabels?: string[];
  storageSizeGb?: number;
  memoryRequestMb?: number;
  cpuCoresRequest?: number;
  nodeSize?: string;
  maxCredits?: number;
};
export type ImportedFiles = {
  datasets: { fileName: string; datasetId: string }[];
  failures: { fileName: string; message: string }[];
};
export type InheritMembers = { rowVersion?: string };
export type InspectBody = {
  uploadUrl?: string;
  datasetId?: string;
  url?: string;
  originalFileName?: string;
  size?: number;
  readerName?: string;
  readerParameters?: Parameter[];
  statistics?: boolean;
};
export type InspectedExtent = { west: number; south: number; east: number; north: number };
export type InspectedWriter = { name: string; format: string; keeps: string[]; loses: string[]; refuses?: string };
export type Inspection = {
  size: number;
  looksLike?: string;
  needsMore?: { from: number; to: number };
  format?: string;
  reader?: string;
  kind?: string;
  crs?: { srid?: string; name: string; kind: string };
  extent?: InspectedExtent;
  extentWgs84?: InspectedExtent;
  width?: number;
  height?: number;
  affine?: number[];
  bands?: {
    band: number;
    name?: string;
    unit?: string;
    type?: string;
    nodata?: number | string;
    eum?: { item: number; unit: number };
    valueKind?: string;
    values?: number;
    empty?: number;
    minimum?: number;
    maximum?: number;
    mean?: number;
    standardDeviation?: number;
    scale?: number;
    offset?: number;
    role?: string;
  }[];
  nodes?: number;
  elements?: number;
  layers?: number;
  layerAxis?: { first: number; spacing: number; unit?: string };
  sigmaLayers?: number;
  dimensions?: { name: string; unit?: string; length: number; first?: number; last?: number }[];
  time?: {
    steps: number;
    axis: string;
    spacing: string;
    unit: string;
    first?: string | number;
    last?: string | number;
    interval?: number;
  };
  items?: {
    name?: string;
    unit?: string;
    type?: string;
    nodata?: number | string;
    eum?: { item: number; unit: number };
    valueKind?: string;
    values?: number;
    empty?: number;
    minimum?: number;
    maximum?: number;
    mean?: number;
    standardDeviation?: number;
  }[];
  layer?: string;
  fields?: { name: string; type: string; width?: number; decimals?: number; untyped?: true }[];
  statistics?: Record<string, unknown>;
  remarks: string[];
  writers?: InspectedWriter[];
  transformations?: string[];
  limits: { seconds: number; memoryMb: number; sizeGb: number };
};
export type Invitation = {
  id: string;
  email?: string;
  loginId?: string;
  role: 'Owner' | 'Contributor' | 'Reader';
  createdAt: string;
  createdBy: string;
  expiresAt: string;
  status: 'open' | 'accepted' | 'ended' | 'expired';
  acceptedAt?: string;
  acceptedBy?: string;
  endedAt?: string;
  endedBy?: string;
};
export type InvitationList = { data: Invitation[] };
export type IssuedToken = { token: string; expiration: string };
export type ItemFilter = { names?: string[]; itemIndices?: number[] };
export type ItemFilterTransformation = { type: 'itemFilterTransformation'; itemFilter: ItemFilter | ItemFilter[] };
export type ItemRedefinition = {
  originalName?: string;
  itemIndex?: number;
  newName?: string;
  newItemId?: string | number;
  newUnitId?: string | number;
};
export type ItemTransformation = { type: 'itemTransformation'; itemRedefinitions: ItemRedefinition[] };
export type Job = {
  id: string;
  task: string;
  state: 'waiting' | 'delayed' | 'running' | 'spent' | 'failed' | 'cancelled' | 'completed';
  tenantId?: string;
  type?: string;
  name?: string;
  reader?: string;
  writer?: string;
  time: string;
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
  runAt?: string;
  attempts: number;
  worker?: string;
  progress?: number;
  priority?: number;
  needs?: string[];
  error?: string;
  fingerprint?: string;
};
export type JobCursorPage = { cursor?: string; data: Job[] };
export type JobDetail = {
  id: string;
  task: string;
  state: 'waiting' | 'delayed' | 'running' | 'spent' | 'failed' | 'cancelled' | 'completed';
  tenantId?: string;
  type?: string;
  name?: string;
  reader?: string;
  writer?: string;
  time: string;
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
  runAt?: string;
  attempts: number;
  worker?: string;
  progress?: number;
  priority?: number;
  needs?: string[];
  error?: string;
  fingerprint?: string;
  projectId?: string;
  format?: string;
  accountId?: string;
  createdBy?: string;
  requestId?: string;
  request?: Record<string, unknown>;
  phase?: string;
  cancelRequestedAt?: string;
  deadline?: string;
  workerLosses?: number;
  childDeaths?: number;
  outages?: number;
  memoryMb?: number;
  cores?: number;
  inputDatasetId?: string;
  outputDatasetId?: string;
  retryOf?: string;
  retries?: string[];
  queue?: {
    id: string;
    key?: string;
    priority: number;
    runAt: string;
    attempts: number;
    maxAttempts: number;
    lastError?: string;
    lockedAt?: string;
    lockedBy?: string;
    flags: string[];
    payload: Record<string, unknown>;
  };
  host?: string;
  log: LogLine[];
};
export type KeptPreviewScheme = {
  item: string;
  colors: string[];
  min: number;
  max: number;
  steps?: number;
  log?: boolean;
};
export type KnownPrincipal = {
  id: string;
  principalType: 'UserIdentity' | 'OpenAPIAccount';
  loginId?: string;
  name: string;
};
export type KnownPrincipalList = { data: KnownPrincipal[] };
export type LegacyAccount = { Id: string; Name: string; Roles: string; Activated: boolean; EncryptedPassword: string };
export type LegacyExportBody = {
  format: string;
  srid?: number | string;
  arguments?: Parameter[] | Record<string, unknown>;
};
export type LegacyImportBody = {
  projectId?: string;
  appendDatasetId?: string;
  uploadUrl: string;
  fileName: string;
  destinations?: string[];
  datasetImportData?: {
    name?: string;
    description?: string;
    metadata?: Record<string, unknown>;
    properties?: Record<string, unknown>;
  };
  format: string;
  srid?: number | string;
  arguments?: Parameter[] | Record<string, unknown>;
};
export type LicensedFeature = {
  featureId: string;
  name: string;
  type: 'Application' | 'Service';
  url?: string;
  responseUrl?: string;
  rowVersion: string;
  enabled: boolean;
};
export type LicensedFeatureList = { data: LicensedFeature[] };
export type Lineage = { nodes: LineageNode[]; edges: LineageEdge[]; truncated: boolean };
export type LineageEdge = {
  from: string;
  to: string;
  role: 'input' | 'sideInput';
  action: string;
  transfer?: LineageTransfer;
};
export type LineageNode = {
  id: string;
  kind: 'dataset' | 'upload' | 'remoteFile' | 'export';
  name?: string;
  hidden?: true;
};
export type LineageTransfer = {
  id: string;
  time: string;
  by: string;
  reader?: string;
  writer?: string;
  transformations: string[];
};
export type Link = { href: string; rel: string; type?: string; title?: string };
export type ListCoordinateSystemAuthoritiesAnswer = { data: string[] };
export type ListCronJobsAnswer = {
  data: {
    name: string;
    schedule: string;
    lastRun?: string;
    nextRun?: string;
    finishedAt?: string;
    failed?: number;
    failures?: { part: string; item?: string; reason: string }[];
    stopped?: string;
  }[];
};
export type ListDrainsAnswer = { drains: Drain[]; workers: Worker[]; running: number; drained: boolean };
export type ListPublicKeysAnswer = { keys: PublicKey[] };
export type ListServicesAnswer = { data: string[] };
export type ListStagingUrlsAnswer = { data: { url: string }[] };
export type ListedTenantMember = { userId: string; role: string; accountId: string; name: string };
export type ListedTenantMemberList = { data: ListedTenantMember[] };
export type ListedTransfer = {
  id: string;
  createdAt: string;
  createdBy: string;
  type: 'Import' | 'Export' | 'Conversion' | 'Update' | 'Append';
  format: string;
  status: 'None' | 'Pending' | 'InProgress' | 'Completed' | 'Error';
  name: string;
  projectId: string;
  progress: number;
  finishedAt?: string;
  errorMessage?: string;
  retryOf?: string;
};
export type ListedTransferOffsetPage = { totalCount: number; offset: number; limit: number; data: ListedTransfer[] };
export type LogLine = { time: string; level: 'debug' | 'info' | 'warning' | 'error'; message: string };
export type LogLineCursorPage = { cursor?: string; data: LogLine[] };
export type LoginExplanation = {
  account: string;
  address: string;
  outcome: 'free' | 'code' | 'forbidden' | 'refused';
  refusal?: string;
  network?: string;
  otpAuthenticatorIds?: string[];
  groups: {
    name: string;
    networks: { cidr: string; matches: boolean }[];
    authenticators: string[];
    malformed: string[];
  }[];
  ownAuthenticators: string[];
  otpFailures: number;
  delay: { failures: number; nextWaitSeconds: number };
  reasons: string[];
};
export type Logins = {
  data: {
    id: string;
    createdAt: string;
    expiresAt: string;
    lastExchangedAt?: string;
    lastAddress?: string;
    device?: string;
    address?: string;
    lastUsedAt: string;
    current: boolean;
  }[];
};
export type MapNet = { side: number; x: number[]; y: number[] };
export type MassRetry = {
  id: string;
  fingerprint: string;
  perSecond: number;
  limit?: number;
  stopOnFail: boolean;
  state: 'Running' | 'Done' | 'Stopped';
  note?: string;
  createdAt: string;
  createdBy: string;
  accountId: string;
  finishedAt?: string;
  started: number;
  completed: number;
  failed: number;
  refused: number;
  refusal?: string;
};
export type MassRetryList = { data: MassRetry[] };
export type MdBinaryOptions = {
  majorVersion?: number;
  minorVersion?: number;
  coordinatePrecision?: number;
  includeMeshElementId?: boolean;
};
export type MdBinaryQuery = { query?: MdQuery; options?: MdBinaryOptions };
export type MdElement = { i: number; v?: number[][] };
export type MdItemChange = { name?: string; unit?: string; item?: string; rowVersion?: string };
export type MdItemFilter = { itemIndices?: number[] };
export type MdQuery = {
  itemFilter?: MdItemFilter;
  spatialFilter?: MdSpatialFilter;
  temporalFilter?: MdTemporalFilter;
  verticalFilter?: MdVerticalFilter;
  includeGeometries?: boolean;
  includeValues?: boolean;
  outputSRID?: number;
};
export type MdSeriesBlock = { itemIndex: number; elementIndex: number; layerIndex: number; data: (number | null)[] };
export type MdSpatialFilter = { geometry: string; SRID?: number };
export type MdStepBlock = { itemIndex: number; timeIndex: number; layerIndex: number; data: (number | null)[] };
export type MdTemporalFilter = {
  type: string;
  from?: number | string;
  to?: number | string;
  at?: string;
  indices?: number[];
};
export type MdTimeseries = {
  datasetId: string;
  elements: MdElement[];
  srid?: number;
  timeSteps: string[];
  dataBlocks: MdSeriesBlock[];
};
export type MdTimesteps = { datasetId: string; elements: MdElement[]; srid?: number; dataBlocks: MdStepBlock[] };
export type MdVerticalFilter = { type: string; from?: number | string; to?: number | string };
export type MosaicTransformation = {
  type: 'mosaicTransformation';
  mosaic: { method: 'first' | 'last' | 'mean' | 'min' | 'max' };
};
export type MoveCreditBody = {
  credits: number;
  sourceTenantId?: '' | string;
  targetTenantId?: '' | string;
  billingReference?: string;
  billingReferenceType?: string;
};
export type MoveDatasetBody = { targetProjectId: string; targetTenantId?: string };
export type MultidimensionalAxis = {
  name: string;
  length: number;
  unit?: string;
  first?: number;
  last?: number;
  values?: number[];
};
export type MultidimensionalCrs = { name: string; srid?: string; wkt?: string };
export type MultidimensionalDataset = {
  id: string;
  name: string;
  title?: string;
  kind: 'grid' | 'mesh' | 'array';
  items: MultidimensionalItem[];
  time?: MultidimensionalTime;
  axes: MultidimensionalAxis[];
  affine?: number[];
  mesh?: MultidimensionalMesh;
  crs?: MultidimensionalCrs;
  bbox?: number[];
  wgS84Extent?: string;
};
export type MultidimensionalItem = {
  i: number;
  id: string;
  name?: string;
  item?: string;
  unit?: string;
  unitSymbol?: string;
  dataType: 'Int16' | 'Int32' | 'Int64' | 'Single' | 'Double';
  noDataValue?: number;
  hasLayers: boolean;
  timeSeriesType: string;
  axes: string[];
};
export type MultidimensionalMesh = {
  nodes: number;
  elements: number;
  layers?: number;
  sigmaLayers?: number;
  section?: 'profile' | 'column';
};
export type MultidimensionalTime = {
  steps: number;
  start?: string;
  end?: string;
  relative: boolean;
  interval?: number;
  times?: string[];
};
export type MultidimensionalValues = { columns: string[]; data: (string | number | null)[][] };
export type MyTenant = { id: string; name: string; role: string; createdAt: string; updatedAt: string };
export type MyTenantList = { data: MyTenant[] };
export type NewApiKey = {
  id: string;
  name: string;
  role: string;
  tenantId: string;
  expiresAt?: string;
  allowedNetworks?: string[];
  createdAt: string;
  key: string;
};
export type NewBillingReference = {
  billingReference: string;
  billingReferenceTag?: string;
  billingReferenceType: string;
};
export type NewInvitation = { email?: string; loginId?: string; role: 'Owner' | 'Contributor' | 'Reader' };
export type NewProject = {
  name: string;
  description?: string;
  metadata?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  accessLevel?: 'Confidential' | 'Private' | 'Shared';
  inheritsMembers?: boolean;
  members?: { userId: string; role: 'Owner' | 'Contributor' | 'Reader' }[];
  permissions?: Permission[];
  thumbnailBase64?: string;
};
export type NewShare = {
  id: string;
  datasetId: string;
  name?: string;
  createdBy: string;
  createdAt: string;
  expiresAt: string;
  downloads: string;
  opens: number;
  url: string;
};
export type NewShareBody = { name?: string; expiresAt?: string; downloads?: 'None' | 'Original' | 'Formats' };
export type NewTimeSeries = {
  id?: string;
  item: NewTimeSeriesItem;
  properties?: Record<string, unknown>;
  dataFields?: NewTimeSeriesDataField[];
};
export type NewTimeSeriesDataField = {
  name: string;
  dataType: 'DateTime' | 'Single' | 'Double' | 'Flag' | 'Text';
  flags?: TimeSeriesFlag[];
};
export type NewTimeSeriesDataset = {
  timeSeriesSchema?: TimeSeriesSchema;
  datasetProperties: TimeSeriesDatasetProperties;
};
export type NewTimeSeriesItem = {
  name: string;
  unit: string;
  item: string;
  dataType: 'Text' | 'Date' | 'Int16' | 'Int32' | 'Int64' | 'Single' | 'Double';
  timeSeriesType?: 'Instantaneous' | 'Accumulated' | 'StepAccumulated' | 'MeanStepBackward' | 'MeanStepForward';
  noDataValue?: number;
  hasLayers?: boolean;
};
export type NewTimeSeriesProperty = { name: string; dataType: 'DateTime' | 'Long' | 'Double' | 'Boolean' | 'Text' };
export type OtpRequired = { otpRequired: boolean; accessForbidden: boolean; otpAuthenticatorIds: string[] };
export type OutputDatasetData = {
  name: string;
  description?: string;
  metadata?: Record<string, unknown>;
  properties?: Record<string, unknown>;
};
export type OwnInvitation = {
  id: string;
  projectId: string;
  projectName: string;
  role: 'Owner' | 'Contributor' | 'Reader';
  createdAt: string;
  createdBy: string;
  expiresAt: string;
};
export type OwnInvitationList = { data: OwnInvitation[] };
export type Parameter = { name: string; value?: unknown };
export type PathNode = {
  id: string;
  name: string;
  parentProjectId?: string;
  isDeleted: boolean;
  capabilities: Capabilities;
  accessLevel: string;
  inheritsMembers: boolean;
  effectiveUserRole?: 'Owner' | 'Contributor' | 'Reader';
};
export type PathNodeList = { data: PathNode[] };
export type Pause = { paused: boolean; reason?: string; since?: string; accountId?: string };
export type Permission = { principals: string[]; operation: string; type?: 'Allowed' | 'Denied' };
export type PlacedDataset = {
  id: string;
  projectId: string;
  name: string;
  relativePath: string;
  datasetType: string;
  datasetUrl?: string;
  sasToken?: string;
};
export type PlacedDatasetOffsetPage = { totalCount: number; offset: number; limit: number; data: PlacedDataset[] };
export type PrepareDownloadAnswer = { data: { id: string; name: string; url: string }[] };
export type Preview = {
  state: 'building' | 'ready' | 'failed' | 'none';
  progress?: number;
  reason?: string;
  kind?: 'grid' | 'mesh' | 'features' | 'series' | 'arrays';
  items?: { id: string; name: string; unit?: string; min?: number; max?: number; vector?: string }[];
  steps?: { count: number; first?: string; last?: string; spacing?: number; times?: string[]; best: number };
  layers?: { count: number; ids?: number[]; heights?: number[] };
  bbox?: number[];
  srid?: string;
  cells?: number;
  scheme?: PreviewScheme;
  tiles?: { raster?: string; values?: string; vector?: string };
  deepest?: number;
};
export type PreviewNumberItem = { id: string; name: string; unit?: string };
export type PreviewProfile = {
  item: PreviewNumberItem;
  step: number;
  time?: string;
  layer: number;
  distances: number[];
  points: number[][];
  values: (number | null)[];
};
export type PreviewScheme = { item: string; colors: string[]; min: number; max: number; steps?: number; log: boolean };
export type PreviewSeries = { items: PreviewSeriesItem[]; rows: number };
export type PreviewSeriesItem = {
  id: string;
  name: string;
  unit?: string;
  valueKind?: string;
  time: PreviewTimes;
  values: (number | string | null)[];
};
export type PreviewStatistics = {
  item: PreviewNumberItem;
  step?: number;
  layer?: number;
  count: number;
  empty: number;
  min?: number | string;
  max?: number | string;
  mean?: number;
  standardDeviation?: number;
  histogram?: { from: number; to: number; counts: number[] };
  frequent?: { value: string | boolean; count: number }[];
};
export type PreviewTable = {
  columns: { name: string; unit?: string; type: 'number' | 'text' }[];
  rows: (number | string | boolean | null)[][];
  next?: string;
  count?: number;
  step?: number;
  layer?: number;
  time?: string | number;
};
export type PreviewTimes = { times?: string[]; offsets?: number[]; unit?: string };
export type PreviewValues = {
  kind: 'steps' | 'features';
  time?: PreviewTimes;
  steps?: number[];
  items?: PreviewNumberItem[];
  fields?: { id: string; name: string }[];
  points: {
    point: number[];
    inside?: boolean;
    values?: (number | null)[][];
    features?: { id?: string | number; values: (number | string | boolean | null)[] }[];
    more?: boolean;
  }[];
};
export type Principal = { id: string; name: string; email?: string; role?: string; tenantId?: string };
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance?: string;
  errors?: Record<string, string[]>;
  code: string;
  traceId: string;
  available?: number;
  reserved?: number;
  rowVersion?: string;
};
export type ProfileTransformation = {
  type: 'profileTransformation';
  profile: { line: string; spacing: number; method?: 'bilinear' | 'nearest'; SRID?: number | string };
};
export type Project = {
  id: string;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  updatedBy: string;
  name: string;
  description?: string;
  accessLevel: string;
  hasThumbnail: boolean;
  inheritsMembers: boolean;
  rowVersion: string;
  parentProjectId?: string;
  metadata: Record<string, unknown>;
  settings: Record<string, unknown>;
  members: ProjectMember[];
  capabilities: Capabilities;
  permissions?: { principals: string[]; operation: string; type: string }[];
};
export type ProjectAccess = {
  projectId: string;
  userId: string;
  role?: 'Owner' | 'Contributor' | 'Reader';
  capabilities: Capabilities;
  reasons: {
    capability: string;
    allowed: boolean;
    rules: {
      rule: 'TenantOwner' | 'Key' | 'Member' | 'Permission';
      effect: 'Allows' | 'Denies';
      projectId?: string;
      role?: 'Owner' | 'Contributor' | 'Reader';
      principal?: string;
      operation?: string;
    }[];
  }[];
};
export type ProjectDescendant = { id: string; parentProjectId: string; name: string; relativePath: string };
export type ProjectDescendantOffsetPage = {
  totalCount: number;
  offset: number;
  limit: number;
  data: ProjectDescendant[];
};
export type ProjectItem = {
  id: string;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  updatedBy: string;
  name: string;
  description?: string;
  accessLevel: string;
  hasThumbnail: boolean;
  inheritsMembers: boolean;
  rowVersion: string;
  parentProjectId?: string;
};
export type ProjectItemCursorPage = { cursor?: string; data: ProjectItem[] };
export type ProjectItemOffsetPage = { totalCount: number; offset: number; limit: number; data: ProjectItem[] };
export type ProjectList = { data: Project[] };
export type ProjectMember = {
  userId: string;
  role: 'Owner' | 'Contributor' | 'Reader';
  principalType: string;
  guest?: boolean;
};
export type ProjectMemberList = { data: ProjectMember[] };
export type PublicKey = { kty: string; kid: string; alg: string; use: string; n: string; e: string };
export type QueueSummary = {
  waiting: number;
  delayed: number;
  running: number;
  spent: number;
  oldestTransferSeconds?: number;
};
export type RasterizeTransformation = {
  type: 'rasterizeTransformation';
  rasterize: {
    cellSize?: number | number[];
    extent?: number[];
    like?: SideInput;
    SRID?: number | string;
    field?: string;
    value?: number;
    allTouched?: boolean;
    method?: 'last' | 'sum' | 'min' | 'max';
  };
};
export type ReceiptFile = { name?: string; size: number; sha256: string };
export type ReferenceDocument = { version: 1; refs: Record<string, unknown> };
export type RegisterAccountBody = {
  id: string;
  name: string;
  email: string;
  password: string;
  company?: string;
  phoneNumber?: string;
};
export type RegisterAuthenticatorAnswer = { manualEntryCode: string; qrCode: string };
export type RenewUploadUrlAnswer = { data: string };
export type RenewUploadUrlBody = { uploadUrl: string };
export type ReplaceAccountBody = {
  id: string;
  name?: string;
  email?: string | '';
  company?: string;
  phoneNumber?: string;
  roles?: string;
  metadata?: Record<string, unknown>;
  activated?: boolean;
  enabled?: boolean;
  locked?: boolean;
  lockedDateEnd?: string;
  allowMePasswordChange?: boolean;
  rowVersion?: string;
  password?: string;
  currentPassword?: string;
};
export type ReplaceCreditReleaseBody = { tenantId: string; operationId: string };
export type ReplaceCreditReserveBody = { credits: number; tenantId: string; operationId?: string; projectId?: string };
export type ReplaceCreditSpendBody = { credits: number; tenantId: string; operationId?: string; projectId?: string };
export type ReplaceFeatureDefinitionBody = {
  name: string;
  type: 'Application' | 'Service';
  url?: string;
  responseUrl?: string;
  rowVersion?: string;
};
export type ReplaceOwnAccountBody = {
  id?: string;
  name?: string;
  email?: string | '';
  company?: string;
  phoneNumber?: string;
  rowVersion?: string;
  password?: string;
  currentPassword?: string;
};
export type ReplaceTenantBody = {
  name?: string;
  weight?: number;
  recycleBinDays?: number | 'default';
  rowVersion?: string;
};
export type ReplayWebhookAnswer = { replayed: number };
export type ReplayWebhookBody = { after: number };
export type ResampleTransformation = {
  type: 'resampleTransformation';
  resample: {
    cellSize?: number | number[];
    extent?: number[];
    like?: SideInput;
    SRID?: number | string;
    method?: 'nearest' | 'bilinear' | 'cubic' | 'average' | 'sum' | 'min' | 'max' | 'mode';
  };
};
export type RestorePreview = {
  restores: { id: string; name: string; itemType: 'Project' | 'Dataset' }[];
  missing: { id: string; name: string; privilege: 'DeleteProject' | 'DeleteContent'; grantableBy: string[] }[];
  removes: { projects: number; datasets: number; bytes: number };
};
export type RestoreRecycleBinDatasetElsewhereBody = { targetProjectId: string };
export type RestoreRecycleBinProjectDatasetElsewhereBody = { targetProjectId: string };
export type RestoreRecycleBinProjectElsewhereBody = { targetProjectId?: string };
export type ResumeWorkersAnswer = { drains: Drain[]; workers: Worker[]; running: number; drained: boolean };
export type RetryFailureBody = { perSecond?: number; limit?: number; stopOnFail?: boolean };
export type RetryJobAnswer = { id: string };
export type RetryPreviewAnswer = { state: 'building' };
export type RevokeTokenAnswer = Record<string, unknown>;
export type RunCronJobAnswer = { name: string };
export type SchemaDocument = Record<string, unknown>;
export type SearchHit = { type: 'Project' | 'Dataset'; id: string; name: string; path: string; datasetFormat?: string };
export type SearchHitCursorPage = { cursor?: string; data: SearchHit[] };
export type SecondFactor = {
  id: string;
  authenticators: { type: string; own: boolean; registered: boolean }[];
  recoveryCodes: number;
  failures: number;
  blockedUntil?: string;
};
export type SecondFactorChange = { entries: string[]; rowVersion?: string; before?: string[] };
export type SecondFactorEntries = { entries: string[] };
export type SecondFactorPreview = {
  days: number;
  lockedOut: string[];
  registerAgain: string[];
  accounts: {
    id: string;
    logins: number;
    refused: { address: string; logins: number; lastAt: string }[];
    asked: { address: string; logins: number; lastAt: string }[];
    mustRegister: boolean;
  }[];
};
export type SetPauseBody = { paused: boolean; reason?: string };
export type SetProjectMemberBody = { userId: string; role: 'Owner' | 'Contributor' | 'Reader' };
export type SetTenantMemberBody = { userId: string; role: 'Owner' | 'Member' };
export type Setting = {
  name: string;
  variable: string;
  source: 'default' | 'file' | 'environment';
  value?: unknown;
  hidden: boolean;
};
export type SettingList = { data: Setting[] };
export type Share = {
  id: string;
  datasetId: string;
  name?: string;
  createdBy: string;
  createdAt: string;
  expiresAt: string;
  downloads: string;
  opens: number;
  lastOpenedAt?: string;
  endedAt?: string;
  endedBy?: string;
};
export type ShareList = { data: Share[] };
export type SharedConversion = {
  id: string;
  status: 'None' | 'Pending' | 'InProgress' | 'Completed' | 'Error';
  progress: number;
  errorMessage?: string;
  fileName?: string;
};
export type SharedDataset = {
  name: string;
  description?: string;
  publisher: string;
  expiresAt: string;
  downloads: string;
  formats?: { writerName: string; extension: string }[];
  citation: Citation;
  preview: string;
};
export type SideInput = {
  datasetId?: string;
  uploadUrl?: string;
  originalFileName?: string;
  readerName?: string;
  readerParameters?: { name: string; value: unknown }[];
};
export type SignInBody = { id: string; password: string; otp?: string; otpAuthenticator?: string; refresh?: boolean };
export type SigningKeys = { data: { kid: string; state: string; activatedAt?: string; retiredAt?: string }[] };
export type SkippedFeature = { number: number; reason: string };
export type SpatialFilterTransformation = {
  type: 'spatialFilterTransformation';
  spatialFilter: { geometry: string; SRID?: number | string };
};
export type StackTransformation = { type: 'stackTransformation'; stack: { by: 'time' | 'items' } };
export type StagedFiles = {
  files?: { url?: string; fileName?: string }[];
  destinationPath?: string;
  destingationPath?: string;
  createDestinationPathIfNotExists?: boolean;
};
export type StartSessionBody = {
  id: string;
  password: string;
  otp?: string;
  otpAuthenticator?: string;
  remember?: boolean;
};
export type SubmitActivationPageBody = { token: string };
export type SubmitPasswordPageBody = { token: string; password: string; again: string };
export type SweepBlobStoreAnswer = {
  place?: string;
  sweptAt?: string;
  stoppedAt?: string;
  stoppedBecause?: string;
  allBlobs: number;
  allBytes: number;
  unknownBlobs: number;
  unknownBytes: number;
  confirmed?: number;
};
export type SweepBlobStoreBody = { confirm?: boolean };
export type Target = { targetProjectId: string };
export type TemporalFilterTransformation = {
  type: 'temporalFilterTransformation';
  temporalFilter:
    | { type: 'TemporalIndexFilter'; from?: number; to?: number }
    | { type: 'TemporalValueFilter'; from?: string; to?: string; at?: string }
    | { type: 'TemporalIndexListFilter'; indices?: number[]; except?: number[] };
};
export type Tenant = {
  id: string;
  name: string;
  weight: number;
  recycleBinDays?: number;
  createdAt: string;
  createdBy?: string;
  updatedAt: string;
  updatedBy?: string;
  rowVersion: string;
  owners?: string[];
  members?: { userId: string; role: string }[];
};
export type TenantGuest = {
  userId: string;
  accountId: string;
  name: string;
  projectCount: number;
  projects: { id: string; name: string; role: string }[];
};
export type TenantGuestList = { data: TenantGuest[] };
export type TenantList = { data: Tenant[] };
export type TenantMember = { userId: string; role: string };
export type TenantShare = {
  id: string;
  datasetId: string;
  name?: string;
  createdBy: string;
  createdAt: string;
  expiresAt: string;
  downloads: string;
  opens: number;
  lastOpenedAt?: string;
  endedAt?: string;
  endedBy?: string;
  datasetName: string;
};
export type TenantShareList = { data: TenantShare[] };
export type Thumbnail = { thumbnailBase64?: string };
export type TileAvailability = { schemeId: string; tileMatrixSetLimits: TileMatrixLimits[] };
export type TileCheck = {
  checked: number;
  drawnAnew: number;
  checkedEmpty: number;
  wrong: { schemeId: string; tile: string; timeStep: number; layer: number; reason: string }[];
};
export type TileJson = {
  tilejson: '3.0.0';
  name: string;
  scheme: 'xyz';
  tiles: string[];
  bounds: number[];
  minzoom: number;
  maxzoom: number;
};
export type TileLegend = { title: string; unit?: string; minValue: number; maxValue: number; colors: string[] };
export type TileMatrixLimits = {
  tileMatrix: string;
  minTileRow: number;
  maxTileRow: number;
  minTileCol: number;
  maxTileCol: number;
};
export type TileMetadata = {
  nativeExtent: string;
  wgS84Extent: string;
  tilingSchemes: TilingScheme[];
  tileStorageSizeKB: number;
  timeStamps: string[];
  layerIds: number[];
  layerHeights?: number[];
};
export type TileStatus = {
  name: string;
  schemes: {
    schemeId: string;
    schemeType: string;
    levels: { level: number; onRequest: boolean; tiles: number; keptTiles: number; keptBytes: number }[];
  }[];
};
export type TilingScheme = {
  schemeId: string;
  schemeType: 'WMTS' | 'XYZ';
  itemName: string;
  unit?: string;
  outputType: 'PNG' | 'WEBP' | 'RawData' | 'BinnedData256';
  tileWidth: number;
  tileHeight: number;
  zoomLevels: number[];
  levelsOnRequest?: number[];
  resolutions: number[];
  scaleDenominators: number[];
  matrixWidths: number[];
  matrixHeights: number[];
  minValue?: number;
  maxValue?: number;
  colors?: string[];
  aggregationMethod: 'Mean' | 'Max';
  renderValuesOutOfRangeAsTransparent: 'None' | 'Above' | 'Below' | 'AboveAndBelow';
  srid: number;
  sridAuthName: string;
  topLeft: number[];
  hasLayers: boolean;
};
export type TimeSeries = {
  id: string;
  item: TimeSeriesItem;
  properties: Record<string, unknown>;
  dataFields: TimeSeriesDataField[];
};
export type TimeSeriesCondition = {
  type: 'AttributeQueryCondition';
  name: string;
  operator:
    | 'Equal'
    | 'NotEqual'
    | 'GreaterThan'
    | 'LessThan'
    | 'GreaterThanOrEqual'
    | 'LessThanOrEqual'
    | 'Contains'
    | 'StartsWith';
  value: unknown;
};
export type TimeSeriesConditions = { conditions?: TimeSeriesCondition[] };
export type TimeSeriesDataField = {
  name: string;
  dataType: 'DateTime' | 'Single' | 'Double' | 'Flag' | 'Text';
  flags?: TimeSeriesFlag[];
};
export type TimeSeriesDataset = {
  id: string;
  items: TimeSeriesItem[];
  timeSeriesProperties: TimeSeriesProperty[];
  metadata: Record<string, unknown>;
};
export type TimeSeriesDatasetProperties = {
  name: string;
  description?: string;
  metadata?: Record<string, unknown>;
  properties?: Record<string, unknown>;
};
export type TimeSeriesFlag = { id: number | string; name: string; description?: string; level?: number | string };
export type TimeSeriesIds = string[];
export type TimeSeriesItem = {
  name: string;
  unit: string;
  item: string;
  dataType: 'Text' | 'Date' | 'Int16' | 'Int32' | 'Int64' | 'Single' | 'Double';
  timeSeriesType?: 'Instantaneous' | 'Accumulated' | 'StepAccumulated' | 'MeanStepBackward' | 'MeanStepForward';
  noDataValue?: number;
  hasLayers?: boolean;
};
export type TimeSeriesList = { data: TimeSeries[] };
export type TimeSeriesProperty = { name: string; dataType: 'DateTime' | 'Long' | 'Double' | 'Boolean' | 'Text' };
export type TimeSeriesQuery = TimeSeriesConditions | TimeSeriesCondition[];
export type TimeSeriesSchema = { properties?: NewTimeSeriesProperty[] };
export type TimeSeriesValues = { data: (string | number | null)[][] };
export type Tokens = { accessToken: IssuedToken; tokenType: string; refreshToken: IssuedToken };
export type Transfer = {
  id: string;
  createdAt: string;
  createdBy: string;
  type: 'Import' | 'Export' | 'Conversion' | 'Update' | 'Append';
  format: string;
  status: 'None' | 'Pending' | 'InProgress' | 'Completed' | 'Error';
  name: string;
  updatedAt: string;
  updatedBy: string;
  projectId: string;
  importParameters?: {
    uploadUrl: string;
    fileName: string;
    uploadUrls?: { uploadUrl: string; originalFileName: string }[];
    appendDatasetId?: string;
    readerName: string;
    writerName: string;
    readerParameters: GivenParameter[];
    writerParameters: GivenParameter[];
    transformations: Transformation[];
    srid?: unknown;
    arguments?: unknown;
    destinations?: string[];
  };
  exportParameters?: {
    datasetId: string;
    outputFileName: string;
    readerName: string;
    writerName: string;
    readerParameters: GivenParameter[];
    writerParameters: GivenParameter[];
    transformations: Transformation[];
    srid?: unknown;
    arguments?: unknown;
    destinations?: string[];
  };
  importResults?: { projectId: string; datasetId: string }[];
  downloadPath?: string;
  errorMessage?: string;
  progress: number;
  phase?: string;
  startedAt?: string;
  finishedAt?: string;
  attempt: number;
  waitingReason?: string;
  needs?: string[];
  recordsRead?: number;
  recordsWritten?: number;
  recordsSkipped?: number;
  badRecordsUrl?: string;
  logUrl: string;
  receipt?: TransferReceipt;
  retryOf?: string;
  carry?: 'move' | 'copy';
};
export type TransferReceipt = {
  input: ReceiptFile;
  inputs?: ReceiptFile[];
  output: ReceiptFile;
  appended?: AppendedCounts;
  lost: string[];
  remarks: string[];
};
export type TransferSummary = {
  id: string;
  createdAt: string;
  createdBy: string;
  type: 'Import' | 'Export' | 'Conversion' | 'Update' | 'Append';
  format: string;
  status: 'None' | 'Pending' | 'InProgress' | 'Completed' | 'Error';
  name: string;
};
export type TransferSummaryList = { data: TransferSummary[] };
export type Transformation =
  | CrsTransformation
  | ItemFilterTransformation
  | SpatialFilterTransformation
  | TemporalFilterTransformation
  | VerticalFilterTransformation
  | CalculateStatisticsTransformation
  | ItemTransformation
  | ResampleTransformation
  | ContoursTransformation
  | CalculateTransformation
  | ProfileTransformation
  | MosaicTransformation
  | StackTransformation
  | RasterizeTransformation
  | ZonalStatisticsTransformation;
export type UpdateBody = {
  originalFileName?: string;
  uploadUrl?: string;
  uploadUrls?: UploadedFile[];
  readerName: string;
  writerName?: string;
  readerParameters?: Parameter[];
  writerParameters?: Parameter[];
  transformations?: Transformation[];
  onBadRecord?: 'fail' | 'skip';
  requiredLabels?: string[];
  storageSizeGb?: number;
  memoryRequestMb?: number;
  cpuCoresRequest?: number;
  nodeSize?: string;
  maxCredits?: number;
};
export type UpdateFromBody = {
  readerName?: string;
  writerName?: string;
  readerParameters?: Parameter[];
  writerParameters?: Parameter[];
  transformations?: Transformation[];
  onBadRecord?: 'fail' | 'skip';
  requiredLabels?: string[];
  storageSizeGb?: number;
  memoryRequestMb?: number;
  cpuCoresRequest?: number;
  nodeSize?: string;
  maxCredits?: number;
};
export type UploadedFile = { uploadUrl: string; originalFileName: string };
export type ValidateCredentialsBody = { id: string; password: string; otp?: string; otpAuthenticator?: string };
export type ValidateTokenAnswer = { data: string };
export type ValuesOfTimeSeries = { data: (string | number | null)[][][] };
export type VectorTileCheck = { checked: number; wrong: { tile: string; reason: string }[] };
export type VectorTileJson = {
  tilejson: '3.0.0';
  name: string;
  scheme: 'xyz';
  tiles: string[];
  bounds: number[];
  minzoom: number;
  maxzoom: number;
  vector_layers: Record<string, unknown>[];
  timeStamps: string[];
  layerIds: number[];
};
export type VectorTileStatus = {
  name: string;
  overview: 'drawn' | 'waiting' | 'none';
  tiles: number;
  bytes: number;
  lastLevel?: number;
  drawnAt?: string;
};
export type VerifyBlobStoreBody = { sample?: number };
export type VerticalFilterTransformation = {
  type: 'verticalFilterTransformation';
  verticalFilter:
    | { type: 'VerticalIndexFilter'; from?: number; to?: number }
    | { type: 'VerticalValueFilter'; from?: number; to?: number };
};
export type WaitingExplanation = {
  status: 'None' | 'Pending' | 'InProgress' | 'Completed' | 'Error';
  needs?: string[];
  position?: number;
  reason?: string;
  blockedBy?: string[];
  verdict?: 'never' | 'notNow';
  node?: string;
  lacks?: string[];
  since?: string;
  workers: { id: string; canRun: boolean; reason?: string }[];
};
export type Webhook = {
  id: string;
  url: string;
  types: string[];
  status: 'Active' | 'Failing' | 'Disabled';
  failingSince?: string;
  createdAt: string;
};
export type WebhookList = { data: Webhook[] };
export type WebhookSummary = { due: number; later: number; failing: number; disabled: number };
export type Worker = {
  id: string;
  host: string;
  node?: string;
  pid: number;
  labels: string[];
  version?: string;
  commit?: string;
  startedAt: string;
  alive: boolean;
  draining: boolean;
  drainingSince?: string;
  handsOver?: 'all' | 'rest';
  concurrency: number;
  memoryMb: number;
  cores: number;
  scratchGb: number;
  running: number;
  reserved: { memoryMb: number; cores: number; scratchGb: number };
};
export type WorkerList = { data: Worker[]; drains: Drain[] };
export type WorkerSummary = { alive: number; draining: number; running: number; places: number };
export type Written = { id: string; rowVersion: string };
export type WrongCreditEntry = { tenantId?: string; seq?: number; lotId?: number; reason: string };
export type ZarrFolder = { url: string; expires: string };
export type ZonalStatisticsTransformation = {
  type: 'zonalStatisticsTransformation';
  zonalStatistics: {
    zones: SideInput | { geometry: string; SRID?: number | string };
    statistics?: string[];
    weights?: 'centre' | 'coverage';
    id?: string;
  };
};

export interface Operations {
  /** Deletes an account */
  'DELETE /api/accounts/{id}': { params: { id: string }; answer: undefined };
  /** Ends a drain: its workers take transfers again */
  'DELETE /api/admin/drain': { query: { worker?: string; host?: string }; answer: ResumeWorkersAnswer };
  /** Deletes a feature and its licences */
  'DELETE /api/admin/feature/{id}': { params: { id: string }; answer: undefined };
  /** Ends the licence of a tenant */
  'DELETE /api/admin/feature/{id}/tenant/{tenantId}/license': {
    params: { id: string; tenantId: string };
    answer: undefined;
  };
  /** Deletes an uploaded blob */
  'DELETE /api/blob/{area}/{name}': {
    params: { area: string; name: string };
    query: { sv?: string; sr?: string; sp?: string; se?: string; si?: string; sig?: string };
    answer: undefined;
  };
  /** Deletes a webhook (tenant Owners) */
  'DELETE /api/eventing/webhook/{id}': { params: { id: string }; answer: undefined };
  /** Revokes an API key */
  'DELETE /api/iam/key/{id}': { params: { id: string }; answer: undefined };
  /** Deletes an empty tenant */
  'DELETE /api/iam/tenant/{id}': { params: { id: string }; answer: undefined };
  /** Removes a member from a tenant, or a guest from its projects */
  'DELETE /api/iam/tenant/{id}/member/{userId}': {
    params: { id: string; userId: string };
    query: { keepProjectRoles?: boolean; dryRun?: boolean };
    answer: DeleteTenantMemberAnswer | undefined;
  };
  /** Starts a transfer that removes a step from a multidimensional dataset */
  'DELETE /api/md/dataset/{id}/timestep': {
    params: { id: string };
    query: { dryRun?: boolean; timestepIndex: number; rowVersion?: string };
    answer: TransferSummary | DryRun;
  };
  /** Moves a dataset to the recycle bin */
  'DELETE /api/metadata/dataset/{id}': { params: { id: string }; answer: undefined };
  /** Moves a project to the recycle bin */
  'DELETE /api/metadata/project/{id}': { params: { id: string }; answer: undefined };
  /** Ends an invitation at once */
  'DELETE /api/metadata/project/{id}/invitation/{invitationId}': {
    params: { id: string; invitationId: string };
    answer: undefined;
  };
  /** Removes a member from a project */
  'DELETE /api/metadata/project/{id}/member/{userId}': { params: { id: string; userId: string }; answer: undefined };
  /** Ends a link at once */
  'DELETE /api/metadata/share/{shareId}': { params: { shareId: string }; answer: undefined };
  /** Moves a project to the recycle bin */
  'DELETE /api/project/{id}': { params: { id: string }; answer: undefined };
  /** Moves a dataset of this project to the recycle bin */
  'DELETE /api/project/{projectId}/dataset/{id}': { params: { projectId: string; id: string }; answer: undefined };
  /** Permanently deletes a dataset in the recycle bin */
  'DELETE /api/recycle-bin/dataset/{id}': { params: { id: string }; answer: undefined };
  /** Permanently deletes a project in the recycle bin with all its contents */
  'DELETE /api/recycle-bin/project/{id}': { params: { id: string }; answer: undefined };
  /** Permanently deletes a dataset in the recycle bin */
  'DELETE /api/recycle-bin/project/{projectId}/dataset/{id}': {
    params: { projectId: string; id: string };
    answer: undefined;
  };
  /** Ends all your logins; administrators may end those of any account */
  'DELETE /api/tokens/family': { query: { account?: string }; answer: undefined };
  /** Ends a login */
  'DELETE /api/tokens/family/{id}': { params: { id: string }; answer: undefined };
  /** Resets the second factor of an account whose holder lost the device */
  'DELETE /api/tokens/otp/{id}': { params: { id: string }; answer: undefined };
  /** Logs a browser out */
  'DELETE /api/tokens/session': { answer: undefined };
  /** Deletes a time series with its values */
  'DELETE /api/ts/dataset/{id}/timeseries/{tsId}': { params: { id: string; tsId: string }; answer: undefined };
  /** Deletes the values of a time series in an interval */
  'DELETE /api/ts/dataset/{id}/timeseries/{tsId}/values': {
    params: { id: string; tsId: string };
    query: { from?: string; to?: string; count?: boolean };
    answer: DeletedTimeSeriesValues | undefined;
  };
  /** Removes a user from groups; without `groupId`, from all */
  'DELETE /api/usergroups/user/{userId}': {
    params: { userId: string };
    query: { groupId?: string[] };
    answer: undefined;
  };
  /** Deletes a group */
  'DELETE /api/usergroups/{id}': { params: { id: string }; answer: undefined };
  /** Lists accounts in the legacy format */
  'GET /api/account/list': { answer: LegacyAccount[] };
  /** Lists accounts */
  'GET /api/accounts': {
    query: { q?: string; state?: 'disabled' | 'locked' | 'notActivated'; offset?: number; limit?: number };
    answer: Account[];
  };
  /** Shows the page behind the link of an activation mail */
  'GET /api/accounts/activation': { query: { token?: string }; answer: undefined };
  /** Returns the number of accounts */
  'GET /api/accounts/count': { answer: number };
  /** Returns your account */
  'GET /api/accounts/me': { answer: Account };
  /** Shows the page behind the link of a password reset mail */
  'GET /api/accounts/password': { query: { token?: string }; answer: undefined };
  /** Returns the requirements for new passwords */
  'GET /api/accounts/passwordpolicy': { answer: GetPasswordPolicyAnswer };
  /** Returns an account by its login id */
  'GET /api/accounts/{id}': { params: { id: string }; answer: Account };
  /** Previews what deleting an account would remove */
  'GET /api/accounts/{id}/removal': { params: { id: string }; answer: GetAccountRemovalAnswer };
  /** Returns the location of blobs, and the results of their last sweep and verification */
  'GET /api/admin/blob-store': { answer: GetBlobStoreAnswer };
  /** Lists damaged and missing blobs by name, with what has them as its content */
  'GET /api/admin/blob-store/damaged': { query: { after?: string; limit?: number }; answer: DamagedBlobList };
  /** Lists cron jobs with schedule, last run and next run (UTC) */
  'GET /api/admin/cron': { answer: ListCronJobsAnswer };
  /** Returns active drains and the transfers that still run on draining workers */
  'GET /api/admin/drain': { answer: ListDrainsAnswer };
  /** Lists failed transfers grouped by type, reader, writer and error message (ignoring names and numbers) */
  'GET /api/admin/failure': { query: { tenantId?: string; since?: string; limit?: number }; answer: FailureGroupList };
  /** Lists the features */
  'GET /api/admin/feature': { query: { featureType?: 'Application' | 'Service' }; answer: FeatureDefinitionList };
  /** Lists the licensed features of a tenant */
  'GET /api/admin/feature/tenant/list': {
    query: { featureType?: 'Application' | 'Service' };
    answer: LicensedFeatureList;
  };
  /** Lists the tenants that a feature is licensed to */
  'GET /api/admin/feature/{id}/tenant': {
    params: { id: string };
    query: { offset?: number; limit?: number };
    answer: FeatureTenantList;
  };
  /** Lists jobs of all tenants, newest first: transfers and other jobs in the queue */
  'GET /api/admin/job': {
    query: {
      state?: ('waiting' | 'delayed' | 'running' | 'spent' | 'failed' | 'cancelled' | 'completed')[];
      task?: string;
      tenantId?: string;
      fingerprint?: string;
      worker?: string;
      idEnding?: string;
      olderThan?: string;
      cursor?: string;
      limit?: number;
    };
    answer: JobCursorPage;
  };
  /** Returns a job with its attempts, queue row, worker and the end of its log */
  'GET /api/admin/job/{id}': { params: { id: string }; answer: JobDetail };
  /**
   * Explains why a transfer has not started (position, unmet requirements, workers that could run it) or has
   * failed
   */
  'GET /api/admin/job/{id}/why': { params: { id: string }; answer: WaitingExplanation };
  /** Tells whether new work is paused */
  'GET /api/admin/pause': { answer: Pause };
  /** Lists mass retries with their results, newest first */
  'GET /api/admin/retry': { query: { limit?: number }; answer: MassRetryList };
  /** Returns a mass retry */
  'GET /api/admin/retry/{id}': { params: { id: string }; answer: MassRetry };
  /** Lists the settings of the process that answers, without secrets */
  'GET /api/admin/settings': { answer: SettingList };
  /** Returns queue, workers, failures, webhooks and blobs at a glance */
  'GET /api/admin/summary': { answer: AdminSummary };
  /** Lists worker processes with their resources and running transfers, and active drains */
  'GET /api/admin/worker': { answer: WorkerList };
  /** Lists the audit trail of accounts, groups, tenants and keys, newest first */
  'GET /api/audit/list': {
    query: {
      tenantId?: string;
      account?: string;
      action?: string;
      after?: string;
      before?: string;
      cursor?: string;
      limit?: number;
    };
    answer: AuditEntryCursorPage;
  };
  /** Downloads a blob or a range of it */
  'GET /api/blob/{area}/{name}': {
    params: { area: string; name: string };
    query: {
      sv?: string;
      sr?: string;
      sp?: string;
      se?: string;
      si?: string;
      sig?: string;
      comp?: 'blocklist';
      blocklisttype?: 'all' | 'committed' | 'uncommitted';
    };
    answer: undefined;
  };
  /** Lists the readers */
  'GET /api/conversion/reader/list': { query: { filter?: 'All' | 'File' | 'Dedicated' }; answer: ConverterList };
  /** A reader */
  'GET /api/conversion/reader/{name}': { params: { name: string }; answer: Converter };
  /** Lists the transfers that the caller sees, newest first */
  'GET /api/conversion/transfer/list': {
    query: {
      from?: string;
      to?: string;
      status?: string[];
      projectId?: string;
      datasetId?: string;
      idEnding?: string;
      offset?: number;
      limit?: number;
    };
    answer: ListedTransferOffsetPage;
  };
  /** Lists the transfers that the caller started, newest first, at most 1000 */
  'GET /api/conversion/transfer/list-summaries': {
    query: { from?: string; to?: string; status?: string[]; offset?: number; limit?: number };
    answer: TransferSummaryList;
  };
  /** Returns a signed address for uploading a file */
  'GET /api/conversion/transfer/upload-url': { answer: GetUploadUrlAnswer };
  /** Gets a transfer: status, progress, result, address of an exported file */
  'GET /api/conversion/transfer/{id}': { params: { id: string }; answer: Transfer };
  /** Lists the log lines of a transfer, oldest first */
  'GET /api/conversion/transfer/{id}/log': {
    params: { id: string };
    query: { level?: 'debug' | 'info' | 'warning' | 'error'; cursor?: string; limit?: number };
    answer: LogLineCursorPage;
  };
  /**
   * Explains why a transfer has not been started (position, what blocks it, which worker could run it) or has
   * failed
   */
  'GET /api/conversion/transfer/{id}/why': { params: { id: string }; answer: WaitingExplanation };
  /** Lists the writers */
  'GET /api/conversion/writer/list': { query: { filter?: 'All' | 'File' | 'Dedicated' }; answer: ConverterList };
  /** A writer */
  'GET /api/conversion/writer/{name}': { params: { name: string }; answer: Converter };
  /** Lists authorities of coordinate reference systems */
  'GET /api/crs/coordinate-system/authority': { answer: ListCoordinateSystemAuthoritiesAnswer };
  /** Lists coordinate reference systems of EPSG and Esri with their definitions */
  'GET /api/crs/coordinate-system/list': {
    query: {
      text?: string;
      bbox?: string;
      nametext?: string;
      fulltext?: string;
      authority?: string;
      offset?: number;
      limit?: number;
    };
    answer: CoordinateSystemPage;
  };
  /** Returns a coordinate reference system */
  'GET /api/crs/coordinate-system/{id}': { params: { id: string }; answer: CoordinateSystem };
  /** Lists the names of the services */
  'GET /api/data/services': { answer: ListServicesAnswer };
  /** Lists events behind an offset, or streams them with `Accept: text/event-stream` */
  'GET /api/eventing/event/list': {
    query: {
      after?: number;
      limit?: number;
      last?: number;
      types?: (
        | 'svc.platform.events.transferstartedevent'
        | 'svc.platform.events.transferprogressevent'
        | 'svc.platform.events.transferfinishedevent'
        | 'svc.platform.events.projectdestroyedevent'
        | 'svc.platform.events.datasetdestroyedevent'
        | 'svc.platform.events.refreshtokenreusedevent'
        | 'svc.platform.events.creditsexpiredevent'
        | 'svc.platform.events.creditsexpiringevent'
        | 'svc.platform.events.projectcreatedevent'
        | 'svc.platform.events.projectchangedevent'
        | 'svc.platform.events.projectmovedevent'
        | 'svc.platform.events.projectdeletedevent'
        | 'svc.platform.events.projectrestoredevent'
        | 'svc.platform.events.memberschangedevent'
        | 'svc.platform.events.datasetcreatedevent'
        | 'svc.platform.events.datasetchangedevent'
        | 'svc.platform.events.datasetdeletedevent'
        | 'svc.platform.events.datasetrestoredevent'
        | 'svc.platform.events.creditschangedevent'
        | 'svc.platform.events.previewreadyevent'
      )[];
      projectId?: string;
      maxBehind?: number;
    };
    answer: EventList;
  };
  /** Lists the webhooks of the tenant (tenant Owners) */
  'GET /api/eventing/webhook': { answer: WebhookList };
  /** Returns a webhook, without its secret (tenant Owners) */
  'GET /api/eventing/webhook/{id}': { params: { id: string }; answer: Webhook };
  /** Lists deliveries of a webhook, newest first (tenant Owners) */
  'GET /api/eventing/webhook/{id}/delivery/list': {
    params: { id: string };
    query: { state?: 'Pending' | 'Delivered' | 'Failed'; cursor?: string; limit?: number };
    answer: DeliveryCursorPage;
  };
  /** Returns signed addresses to download datasets of a project */
  'GET /api/filesync/prepare-download': { query: { id?: string[] }; answer: PrepareDownloadAnswer };
  /** Describes the features of a dataset */
  'GET /api/gis/dataset/{id}': { params: { id: string }; answer: FeatureDescription };
  /** Lists features of a dataset as GeoJSON */
  'GET /api/gis/dataset/{id}/feature': {
    params: { id: string };
    query: {
      bbox?: string;
      'bbox-crs'?: string;
      filter?: string;
      'filter-lang'?: 'cql2-text' | 'cql-text';
      datetime?: string;
      limit?: number;
      cursor?: string;
      offset?: number;
      properties?: string[];
      crs?: string;
      f?: 'json' | 'geojson' | 'gpkg' | 'fgb' | 'shp' | 'csv' | 'parquet';
    };
    answer: FeaturePage;
  };
  /** Returns a feature as GeoJSON */
  'GET /api/gis/dataset/{id}/feature/{featureId}': {
    params: { id: string; featureId: string };
    query: { properties?: string[]; crs?: string; f?: 'json' | 'geojson' };
    answer: Feature;
  };
  /** Landing page of the features of a dataset */
  'GET /api/gis/dataset/{id}/ogc': {
    params: { id: string };
    query: { f?: 'json' | 'geojson' };
    answer: FeatureLandingPage;
  };
  /** OpenAPI document of the features of a dataset */
  'GET /api/gis/dataset/{id}/ogc/api': { params: { id: string }; query: { f?: 'json' | 'geojson' }; answer: undefined };
  /** The collection of the features of a dataset, in a list */
  'GET /api/gis/dataset/{id}/ogc/collections': {
    params: { id: string };
    query: { f?: 'json' | 'geojson' };
    answer: FeatureCollections;
  };
  /** The collection of the features of a dataset */
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}': {
    params: { id: string; collectionId: string };
    query: { f?: 'json' | 'geojson' };
    answer: FeatureCollectionDescription;
  };
  /** JSON Schema of a feature as GeoJSON */
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/feature-schema': {
    params: { id: string; collectionId: string };
    query: { f?: 'json' | 'geojson' };
    answer: SchemaDocument;
  };
  /** Features of the collection as GeoJSON */
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/items': {
    params: { id: string; collectionId: string };
    query: {
      bbox?: string;
      'bbox-crs'?: string;
      filter?: string;
      'filter-lang'?: 'cql2-text' | 'cql-text';
      datetime?: string;
      limit?: number;
      cursor?: string;
      offset?: number;
      properties?: string[];
      crs?: string;
      f?: 'json' | 'geojson' | 'gpkg' | 'fgb' | 'shp' | 'csv' | 'parquet';
    };
    answer: FeaturePage;
  };
  /** A feature of the collection as GeoJSON */
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/items/{featureId}': {
    params: { id: string; collectionId: string; featureId: string };
    query: { properties?: string[]; crs?: string; f?: 'json' | 'geojson' };
    answer: Feature;
  };
  /** Properties that filters may name */
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/queryables': {
    params: { id: string; collectionId: string };
    query: { f?: 'json' | 'geojson' };
    answer: SchemaDocument;
  };
  /** Properties of the features and their types */
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/schema': {
    params: { id: string; collectionId: string };
    query: { f?: 'json' | 'geojson' };
    answer: SchemaDocument;
  };
  /** Conformance classes */
  'GET /api/gis/dataset/{id}/ogc/conformance': {
    params: { id: string };
    query: { f?: 'json' | 'geojson' };
    answer: FeatureConformance;
  };
  /** Verifies the ledger */
  'GET /api/iam/credit/verify': { answer: CreditVerification };
  /** Returns the credits of a tenant by status */
  'GET /api/iam/credit/{tenantId}': {
    params: { tenantId: string };
    query: { filter?: ('Available' | 'Reserved' | 'Spent' | 'Expired')[]; at?: string };
    answer: CreditBalanceList;
  };
  /** Returns when credits of a tenant expire and how long they last */
  'GET /api/iam/credit/{tenantId}/forecast': {
    params: { tenantId: string };
    query: { days?: number };
    answer: CreditForecast;
  };
  /** Returns the entries of an operation */
  'GET /api/iam/credit/{tenantId}/operation/{operationId}': {
    params: { tenantId: string; operationId: string };
    answer: CreditEntryList;
  };
  /** Lists the open invitations of the caller's login id, newest first */
  'GET /api/iam/invitation': { answer: OwnInvitationList };
  /** Lists the API keys of the tenant */
  'GET /api/iam/key': { query: { offset?: number; limit?: number }; answer: ApiKeyList };
  /** Looks up login ids and names of accounts and API keys */
  'GET /api/iam/principal/list': { query: { id?: string[]; loginId?: string[] }; answer: KnownPrincipalList };
  /** Returns the caller */
  'GET /api/iam/principal/me': { answer: Principal };
  /** Lists the links of all datasets of the tenant, newest first (tenant Owners) */
  'GET /api/iam/share': { query: { offset?: number; limit?: number }; answer: TenantShareList };
  /** Lists tenants visible to the caller */
  'GET /api/iam/tenant': { query: { offset?: number; limit?: number }; answer: TenantList };
  /** Lists the caller's tenants */
  'GET /api/iam/tenant/my': { answer: MyTenantList };
  /** Returns a tenant */
  'GET /api/iam/tenant/{id}': { params: { id: string }; answer: Tenant };
  /** Lists the guests of a tenant: who has roles in its projects and is no member */
  'GET /api/iam/tenant/{id}/guest': {
    params: { id: string };
    query: { offset?: number; limit?: number };
    answer: TenantGuestList;
  };
  /** Lists the members of a tenant */
  'GET /api/iam/tenant/{id}/member': {
    params: { id: string };
    query: { offset?: number; limit?: number };
    answer: ListedTenantMemberList;
  };
  /** Returns what a multidimensional dataset holds */
  'GET /api/md/dataset/{id}': { params: { id: string }; answer: MultidimensionalDataset };
  /** Returns where the file of a dataset has its values, for reading it in place as Zarr */
  'GET /api/md/dataset/{id}/references': {
    params: { id: string };
    query: { format?: 'kerchunk' | 'zarr' };
    answer: ReferenceDocument | ZarrFolder;
  };
  /** Returns values of a multidimensional dataset */
  'GET /api/md/dataset/{id}/values': {
    params: { id: string };
    query: {
      item?: string[];
      from?: string;
      to?: string;
      point?: string;
      bbox?: string;
      element?: string[];
      layer?: number;
      crs?: string;
      f?: 'json' | 'covjson' | 'netcdf' | 'parquet' | 'csv';
      format?: 'json' | 'covjson' | 'netcdf' | 'parquet' | 'csv';
    };
    answer: MultidimensionalValues;
  };
  /** Returns a dataset */
  'GET /api/metadata/dataset/{id}': { params: { id: string }; answer: Dataset };
  /** Lists who did what to a dataset, newest first */
  'GET /api/metadata/dataset/{id}/activity': {
    params: { id: string };
    query: { cursor?: string; limit?: number };
    answer: ActivityCursorPage;
  };
  /** Lists the contents that a dataset has had, newest first */
  'GET /api/metadata/dataset/{id}/history': {
    params: { id: string };
    query: { cursor?: string; limit?: number };
    answer: DatasetContentCursorPage;
  };
  /** Tells from which files and datasets a dataset was made, and what was made of it */
  'GET /api/metadata/dataset/{id}/lineage': { params: { id: string }; answer: Lineage };
  /** Lists the links of a dataset, newest first */
  'GET /api/metadata/dataset/{id}/share': {
    params: { id: string };
    query: { offset?: number; limit?: number };
    answer: ShareList;
  };
  /** Returns a small picture of the content of a dataset (PNG) */
  'GET /api/metadata/dataset/{id}/thumbnail': { params: { id: string }; query: { size?: number }; answer: undefined };
  /** Finds projects and datasets of the tenant by name or path */
  'GET /api/metadata/find': {
    query: { path: string; itemType?: 'Project' | 'Dataset'; projectId?: string; limit?: number };
    answer: FoundItemList;
  };
  /** Lists root projects, with a cursor */
  'GET /api/metadata/project/list': {
    query: {
      namePrefix?: string;
      role?: ('' | 'Owner' | 'Contributor' | 'Reader')[];
      capability?: 'CanReadContent' | 'CanListContent' | 'CanCreateContent' | 'CanUpdateContent' | 'CanDeleteContent';
      sortBy?: 'Name' | 'CreatedAt' | 'UpdatedAt';
      sortOrder?: 'Asc' | 'Desc';
      cursor?: string;
      limit?: number;
    };
    answer: ProjectItemCursorPage;
  };
  /** Lists root projects, with an offset */
  'GET /api/metadata/project/offset-list': {
    query: {
      namePrefix?: string;
      role?: ('' | 'Owner' | 'Contributor' | 'Reader')[];
      capability?: 'CanReadContent' | 'CanListContent' | 'CanCreateContent' | 'CanUpdateContent' | 'CanDeleteContent';
      sortBy?: 'Name' | 'CreatedAt' | 'UpdatedAt';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: ProjectItemOffsetPage;
  };
  /** Returns a project */
  'GET /api/metadata/project/{id}': { params: { id: string }; answer: Project };
  /** Explains which rules allow or deny a user each capability; without `userId`, the caller */
  'GET /api/metadata/project/{id}/access': {
    params: { id: string };
    query: { userId?: string };
    answer: ProjectAccess;
  };
  /** Lists who did what to a project, its subprojects and datasets, newest first */
  'GET /api/metadata/project/{id}/activity': {
    params: { id: string };
    query: { cursor?: string; limit?: number };
    answer: ActivityCursorPage;
  };
  /** Returns the capabilities of the caller on a project */
  'GET /api/metadata/project/{id}/capabilities': { params: { id: string }; answer: Capabilities };
  /** Lists datasets directly in a project */
  'GET /api/metadata/project/{id}/dataset/list': {
    params: { id: string };
    query: { includeSasTokens?: boolean; offset?: number; limit?: number };
    answer: DatasetList;
  };
  /** Lists datasets directly in a project, with id, name and type only */
  'GET /api/metadata/project/{id}/dataset/list-summaries': {
    params: { id: string };
    query: { offset?: number; limit?: number };
    answer: DatasetSummaryList;
  };
  /** Lists datasets in a project and all its descendants, ordered by path */
  'GET /api/metadata/project/{id}/dataset/recursive-list': {
    params: { id: string };
    query: {
      datasetType?: 'file' | 'multidimensional' | 'timeseries' | 'gisvectordata' | 'tiles';
      includeSasTokens?: boolean;
      offset?: number;
      limit?: number;
    };
    answer: PlacedDatasetOffsetPage;
  };
  /** Lists the invitations to a project, newest first */
  'GET /api/metadata/project/{id}/invitation': {
    params: { id: string };
    query: { offset?: number; limit?: number };
    answer: InvitationList;
  };
  /** Lists the members of a project, its own or inherited */
  'GET /api/metadata/project/{id}/member': { params: { id: string }; answer: ProjectMemberList };
  /** Lists all visible descendants of a project, ordered by path, with an offset */
  'GET /api/metadata/project/{id}/offset-list-recursive': {
    params: { id: string };
    query: { offset?: number; limit?: number };
    answer: ProjectDescendantOffsetPage;
  };
  /** Lists the projects from the root to this one, deleted or not, with capabilities of the caller */
  'GET /api/metadata/project/{id}/path': { params: { id: string }; answer: PathNodeList };
  /** Lists direct subprojects, with a cursor */
  'GET /api/metadata/project/{id}/subproject/list': {
    params: { id: string };
    query: {
      namePrefix?: string;
      role?: ('' | 'Owner' | 'Contributor' | 'Reader')[];
      capability?: 'CanReadContent' | 'CanListContent' | 'CanCreateContent' | 'CanUpdateContent' | 'CanDeleteContent';
      sortBy?: 'Name' | 'CreatedAt' | 'UpdatedAt';
      sortOrder?: 'Asc' | 'Desc';
      cursor?: string;
      limit?: number;
    };
    answer: ProjectItemCursorPage;
  };
  /** Lists direct subprojects, with an offset */
  'GET /api/metadata/project/{id}/subproject/offset-list': {
    params: { id: string };
    query: {
      namePrefix?: string;
      role?: ('' | 'Owner' | 'Contributor' | 'Reader')[];
      capability?: 'CanReadContent' | 'CanListContent' | 'CanCreateContent' | 'CanUpdateContent' | 'CanDeleteContent';
      sortBy?: 'Name' | 'CreatedAt' | 'UpdatedAt';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: ProjectItemOffsetPage;
  };
  /** Lists direct subprojects with members and capabilities */
  'GET /api/metadata/project/{id}/subprojects': {
    params: { id: string };
    query: {
      namePrefix?: string;
      role?: ('' | 'Owner' | 'Contributor' | 'Reader')[];
      capability?: 'CanReadContent' | 'CanListContent' | 'CanCreateContent' | 'CanUpdateContent' | 'CanDeleteContent';
      sortBy?: 'Name' | 'CreatedAt' | 'UpdatedAt';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: ProjectList;
  };
  /** Returns the thumbnail of a project */
  'GET /api/metadata/project/{id}/thumbnail': { params: { id: string }; query: { size?: number }; answer: undefined };
  /** Searches projects and datasets for words */
  'GET /api/metadata/search': {
    query: {
      q: string;
      kind?: 'Project' | 'Dataset';
      project?: string;
      bbox?: string;
      changedAfter?: string;
      cursor?: string;
      limit?: number;
    };
    answer: SearchHitCursorPage;
  };
  /** Describes what can be drawn of a dataset: items, steps, layers, colours, addresses of tiles */
  'GET /api/preview/dataset/{id}': { params: { id: string }; answer: Preview };
  /** Returns the values along a line of a dataset */
  'GET /api/preview/dataset/{id}/profile': {
    params: { id: string };
    query: { line: string; item?: string; step?: string; layer?: string; n?: number; format?: 'json' | 'csv' };
    answer: PreviewProfile;
  };
  /** Returns the time series of a dataset */
  'GET /api/preview/dataset/{id}/series': {
    params: { id: string };
    query: { item?: string[]; from?: string; to?: string; points?: number; format?: 'json' | 'csv' };
    answer: PreviewSeries;
  };
  /** Returns figures and the histogram of an item of a dataset */
  'GET /api/preview/dataset/{id}/statistics': {
    params: { id: string };
    query: { item?: string; step?: string; layer?: string; format?: 'json' | 'csv' };
    answer: PreviewStatistics;
  };
  /** Returns a page of the values as a table of a dataset */
  'GET /api/preview/dataset/{id}/table': {
    params: { id: string };
    query: { cursor?: string; limit?: number; step?: string; layer?: string; format?: 'json' | 'csv' };
    answer: PreviewTable;
  };
  /** Returns the values at points of a dataset */
  'GET /api/preview/dataset/{id}/values': {
    params: { id: string };
    query: {
      point: string[];
      item?: string[];
      from?: string;
      to?: string;
      layer?: string;
      tolerance?: string;
      format?: 'json' | 'csv';
    };
    answer: PreviewValues;
  };
  /** Returns a tile of Web Mercator of a dataset */
  'GET /api/preview/dataset/{id}/{zoom}/{column}/{file}': {
    params: { id: string; zoom: string; column: string; file: string };
    query: {
      item?: string;
      step?: string;
      layer?: string;
      colors?: string;
      min?: string;
      max?: string;
      log?: boolean;
      steps?: string;
      layers?: string;
      levels?: string;
    };
    answer: undefined;
  };
  /** Lists root projects with members and capabilities */
  'GET /api/project/list': {
    query: {
      namePrefix?: string;
      role?: ('' | 'Owner' | 'Contributor' | 'Reader')[];
      capability?: 'CanReadContent' | 'CanListContent' | 'CanCreateContent' | 'CanUpdateContent' | 'CanDeleteContent';
      sortBy?: 'Name' | 'CreatedAt' | 'UpdatedAt';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: ProjectList;
  };
  /** Lists the projects from the root to this one, deleted or not, with capabilities of the caller */
  'GET /api/project/{id}/path': { params: { id: string }; answer: PathNodeList };
  /** Lists direct subprojects with members and capabilities */
  'GET /api/project/{id}/subprojects': {
    params: { id: string };
    query: {
      namePrefix?: string;
      role?: ('' | 'Owner' | 'Contributor' | 'Reader')[];
      capability?: 'CanReadContent' | 'CanListContent' | 'CanCreateContent' | 'CanUpdateContent' | 'CanDeleteContent';
      sortBy?: 'Name' | 'CreatedAt' | 'UpdatedAt';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: ProjectList;
  };
  /** Returns a signed address to download a dataset */
  'GET /api/raw/dataset/{id}': {
    params: { id: string };
    query: { downloadFileName?: string };
    answer: GetDatasetDownloadUrlAnswer;
  };
  /** Returns signed addresses for uploading files */
  'GET /api/raw/staging-urls': { query: { count: number }; answer: ListStagingUrlsAnswer };
  /** Lists items in the tenant's recycle bin that the caller may delete */
  'GET /api/recycle-bin/all-deleted-items': {
    query: {
      sortBy?: 'Name' | 'DeletedAt' | 'StorageSize';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: DeletedItemOffsetPage;
  };
  /** Lists deleted datasets of the tenant */
  'GET /api/recycle-bin/dataset/list': {
    query: {
      sortBy?: 'Name' | 'DeletedAt' | 'StorageSize';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: DeletedDatasetList;
  };
  /** Returns a deleted dataset */
  'GET /api/recycle-bin/dataset/{id}': { params: { id: string }; answer: DeletedDataset };
  /** Previews the restore of a dataset: restored items and missing privileges */
  'GET /api/recycle-bin/dataset/{id}/restore/preview': { params: { id: string }; answer: RestorePreview };
  /** Lists items that the caller deleted, in all tenants */
  'GET /api/recycle-bin/my-deleted-items': {
    query: {
      sortBy?: 'Name' | 'DeletedAt' | 'StorageSize';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: DeletedItemOffsetPage;
  };
  /** Lists deleted projects and subprojects of the tenant */
  'GET /api/recycle-bin/project/list': {
    query: {
      sortBy?: 'Name' | 'DeletedAt' | 'StorageSize';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: DeletedProjectItemList;
  };
  /** Returns a deleted project */
  'GET /api/recycle-bin/project/{id}': { params: { id: string }; answer: DeletedProject };
  /** Lists deleted datasets directly in a project, which may be deleted itself */
  'GET /api/recycle-bin/project/{id}/dataset/list': {
    params: { id: string };
    query: {
      sortBy?: 'Name' | 'DeletedAt' | 'StorageSize';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: DeletedDatasetList;
  };
  /** Previews the restore of a project: restored items and missing privileges */
  'GET /api/recycle-bin/project/{id}/restore/preview': { params: { id: string }; answer: RestorePreview };
  /** Lists deleted direct subprojects of a project, which may be deleted itself */
  'GET /api/recycle-bin/project/{id}/subprojects': {
    params: { id: string };
    query: {
      sortBy?: 'Name' | 'DeletedAt' | 'StorageSize';
      sortOrder?: 'Asc' | 'Desc';
      offset?: number;
      limit?: number;
    };
    answer: DeletedProjectItemList;
  };
  /** Returns a deleted dataset */
  'GET /api/recycle-bin/project/{projectId}/dataset/{id}': {
    params: { projectId: string; id: string };
    answer: DeletedDataset;
  };
  /** Previews the restore of a dataset: restored items and missing privileges */
  'GET /api/recycle-bin/project/{projectId}/dataset/{id}/restore/preview': {
    params: { projectId: string; id: string };
    answer: RestorePreview;
  };
  /** Returns a query string that grants access to a dataset or to all datasets below a project */
  'GET /api/security/sastoken': {
    query: { readOnly?: boolean; projectId?: string; resourceId?: string; expiration?: string };
    answer: GetSasTokenAnswer;
  };
  /** Returns the base URL of a service */
  'GET /api/services/{name}/baseuri': { params: { name: string }; answer: GetServiceBaseUriAnswer };
  /** Shows the dataset of a link */
  'GET /api/share/{token}': { params: { token: string }; answer: SharedDataset };
  /** Shows a conversion that the link started */
  'GET /api/share/{token}/convert/{id}': { params: { token: string; id: string }; answer: SharedConversion };
  /** Downloads the file of a conversion of a link, or a range of it; it is kept for 7 days */
  'GET /api/share/{token}/convert/{id}/download': { params: { token: string; id: string }; answer: undefined };
  /** Downloads the stored file of the dataset of a link, or a range of it */
  'GET /api/share/{token}/download': { params: { token: string }; answer: undefined };
  /** Describes what can be drawn of the dataset of a link: items, steps, layers, colours, addresses of tiles */
  'GET /api/share/{token}/preview': { params: { token: string }; answer: Preview };
  /** Lists the datasets of the operator that lie below the map of the dataset of a link */
  'GET /api/share/{token}/preview/basemap': { params: { token: string }; answer: BasemapLayers };
  /** Returns a tile of a dataset of the operator that lies below the map of the dataset of a link */
  'GET /api/share/{token}/preview/basemap/{layer}/{zoom}/{column}/{row}': {
    params: { token: string; layer: string; zoom: string; column: string; row: string };
    answer: undefined;
  };
  /** Returns the values along a line of the dataset of a link */
  'GET /api/share/{token}/preview/profile': {
    params: { token: string };
    query: { line: string; item?: string; step?: string; layer?: string; n?: number; format?: 'json' | 'csv' };
    answer: PreviewProfile;
  };
  /** Returns the time series of the dataset of a link */
  'GET /api/share/{token}/preview/series': {
    params: { token: string };
    query: { item?: string[]; from?: string; to?: string; points?: number; format?: 'json' | 'csv' };
    answer: PreviewSeries;
  };
  /** Returns figures and the histogram of an item of the dataset of a link */
  'GET /api/share/{token}/preview/statistics': {
    params: { token: string };
    query: { item?: string; step?: string; layer?: string; format?: 'json' | 'csv' };
    answer: PreviewStatistics;
  };
  /** Returns a page of the values as a table of the dataset of a link */
  'GET /api/share/{token}/preview/table': {
    params: { token: string };
    query: { cursor?: string; limit?: number; step?: string; layer?: string; format?: 'json' | 'csv' };
    answer: PreviewTable;
  };
  /** Returns the values at points of the dataset of a link */
  'GET /api/share/{token}/preview/values': {
    params: { token: string };
    query: {
      point: string[];
      item?: string[];
      from?: string;
      to?: string;
      layer?: string;
      tolerance?: string;
      format?: 'json' | 'csv';
    };
    answer: PreviewValues;
  };
  /** Returns a tile of Web Mercator of the dataset of a link */
  'GET /api/share/{token}/preview/{zoom}/{column}/{file}': {
    params: { token: string; zoom: string; column: string; file: string };
    query: {
      item?: string;
      step?: string;
      layer?: string;
      colors?: string;
      min?: string;
      max?: string;
      log?: boolean;
      steps?: string;
      layers?: string;
      levels?: string;
    };
    answer: undefined;
  };
  /** Returns a small picture of the dataset of a link (PNG) */
  'GET /api/share/{token}/thumbnail': { params: { token: string }; query: { size?: number }; answer: undefined };
  /** Lists the datasets of the operator that lie below the map of a dataset */
  'GET /api/tiles/dataset/{id}/basemap': { params: { id: string }; answer: BasemapLayers };
  /** Returns a tile of a dataset of the operator that lies below the map of a dataset */
  'GET /api/tiles/dataset/{id}/basemap/{layer}/{zoom}/{column}/{row}': {
    params: { id: string; layer: string; zoom: string; column: string; row: string };
    answer: undefined;
  };
  /** Checks tiles that are chosen at random */
  'GET /api/tiles/dataset/{id}/check': { params: { id: string }; query: { tiles?: number }; answer: TileCheck };
  /** Returns the tiling schemes of a dataset */
  'GET /api/tiles/dataset/{id}/metadata': { params: { id: string }; answer: TileMetadata };
  /** Returns which tiles of a scheme have data */
  'GET /api/tiles/dataset/{id}/scheme/{schemeId}/availability': {
    params: { id: string; schemeId: string };
    query: { timeStep?: string; layer?: string };
    answer: TileAvailability;
  };
  /** Returns the empty tile of a scheme, which replaces all tiles without data */
  'GET /api/tiles/dataset/{id}/scheme/{schemeId}/empty-tile': {
    params: { id: string; schemeId: string };
    answer: undefined;
  };
  /** Returns the empty tile of a scheme, which replaces all tiles without data */
  'GET /api/tiles/dataset/{id}/scheme/{schemeId}/emptyTile': {
    params: { id: string; schemeId: string };
    answer: undefined;
  };
  /** Returns the legend of a scheme */
  'GET /api/tiles/dataset/{id}/scheme/{schemeId}/legend': {
    params: { id: string; schemeId: string };
    answer: TileLegend;
  };
  /** Returns where a tile of Web Mercator lies in the coordinate system of a scheme */
  'GET /api/tiles/dataset/{id}/scheme/{schemeId}/net/{zoom}/{column}/{row}': {
    params: { id: string; schemeId: string; zoom: string; column: string; row: string };
    answer: MapNet;
  };
  /** Returns the TileJSON 3.0 of an XYZ scheme */
  'GET /api/tiles/dataset/{id}/scheme/{schemeId}/tilejson.json': {
    params: { id: string; schemeId: string };
    query: { timeStep?: string; layer?: string };
    answer: TileJson;
  };
  /** Returns a tile */
  'GET /api/tiles/dataset/{id}/scheme/{schemeId}/{tileMatrix}/{tileRow}/{tileCol}': {
    params: { id: string; schemeId: string; tileMatrix: string; tileRow: string; tileCol: string };
    query: { timeStep?: string; layer?: string };
    answer: undefined;
  };
  /** Returns how many tiles of each zoom level there are and are kept */
  'GET /api/tiles/dataset/{id}/status': { params: { id: string }; answer: TileStatus };
  /** Web Map Tile Service: capabilities, or a tile by key-value pairs */
  'GET /api/tiles/dataset/{id}/wmts': {
    params: { id: string };
    query: {
      service?: string;
      request?: string;
      version?: string;
      acceptVersions?: string;
      acceptFormats?: string;
      format?: string;
      layer?: string;
      style?: string;
      tileMatrixSet?: string;
      tileMatrix?: string;
      tileRow?: string;
      tileCol?: string;
      time?: string;
      timeStep?: string;
      elevation?: string;
    };
    answer: Record<string, unknown>;
  };
  /** Returns the capabilities of the Web Map Tile Service as XML */
  'GET /api/tiles/dataset/{id}/wmts/1.0.0/WMTSCapabilities.xml': { params: { id: string }; answer: undefined };
  /** Explains the outcome of a login of an account from an address */
  'GET /api/tokens/explain': { query: { account: string; ip: string }; answer: LoginExplanation };
  /** Lists your active logins; administrators may list those of any account */
  'GET /api/tokens/family': { query: { account?: string }; answer: Logins };
  /** Lists the signing keys of access tokens: current, next and retired ones */
  'GET /api/tokens/keys': { answer: SigningKeys };
  /** Lists your authenticators and counts your recovery codes */
  'GET /api/tokens/otp': { answer: SecondFactor };
  /** Lists the authenticators of an account, by its login id, and counts its recovery codes */
  'GET /api/tokens/otp/{id}': { params: { id: string }; answer: SecondFactor };
  /** Lists the transfers that the caller started, newest first, at most 1000 */
  'GET /api/transfer/list-summaries': {
    query: { from?: string; to?: string; status?: string[]; offset?: number; limit?: number };
    answer: TransferSummaryList;
  };
  /** Gets a transfer: status, progress, result, address of an exported file */
  'GET /api/transfer/{id}': { params: { id: string }; answer: Transfer };
  /**
   * Explains why a transfer has not been started (position, what blocks it, which worker could run it) or has
   * failed
   */
  'GET /api/transfer/{id}/why': { params: { id: string }; answer: WaitingExplanation };
  /** Returns a dataset of time series */
  'GET /api/ts/dataset/{id}': { params: { id: string }; answer: TimeSeriesDataset };
  /** Lists the time series of a dataset, the oldest first */
  'GET /api/ts/dataset/{id}/timeseries/list': { params: { id: string }; answer: TimeSeriesList };
  /** Returns a time series without its values */
  'GET /api/ts/dataset/{id}/timeseries/{tsId}': { params: { id: string; tsId: string }; answer: TimeSeries };
  /** Returns the values of a time series */
  'GET /api/ts/dataset/{id}/timeseries/{tsId}/values': {
    params: { id: string; tsId: string };
    query: { from?: string; to?: string; f?: 'json' | 'netcdf' | 'parquet' | 'csv' };
    answer: TimeSeriesValues;
  };
  /** Lists EUM items, the best match first */
  'GET /api/ts/eum/item': { query: { text?: string; name?: string }; answer: EumItemList };
  /** Lists EUM units, the best match first */
  'GET /api/ts/eum/unit': { query: { text?: string; name?: string }; answer: EumUnitList };
  /** Lists groups */
  'GET /api/usergroups': { query: { offset?: number; limit?: number }; answer: Group[] };
  /** Returns the number of groups */
  'GET /api/usergroups/count': { answer: number };
  /** Lists ids of all groups, or of the groups of a user */
  'GET /api/usergroups/ids': { query: { userId?: string }; answer: string[] };
  /** Returns a group */
  'GET /api/usergroups/{id}': { params: { id: string }; query: { showSecrets?: boolean }; answer: Group };
  /** Returns the second-factor entries of a group */
  'GET /api/usergroups/{id}/second-factor': { params: { id: string }; answer: GroupSecondFactor };
  /** Checks vector tiles that are drawn ahead */
  'GET /api/vectortiles/dataset/{id}/check': {
    params: { id: string };
    query: { tiles?: number };
    answer: VectorTileCheck;
  };
  /** Returns which vector tiles of a dataset of features are drawn ahead */
  'GET /api/vectortiles/dataset/{id}/status': { params: { id: string }; answer: VectorTileStatus };
  /** Returns the TileJSON 3.0 of the vector tiles of a dataset */
  'GET /api/vectortiles/dataset/{id}/tilejson.json': {
    params: { id: string };
    query: { timeStep?: string; layer?: string };
    answer: VectorTileJson;
  };
  /** Returns a vector tile of a dataset of features or of a mesh */
  'GET /api/vectortiles/dataset/{id}/{zoom}/{tileCol}/{tileRow}.vector.pbf': {
    params: { id: string; zoom: string; tileCol: string; tileRow: string };
    query: { timeStep?: string; layer?: string; attributes?: string };
    answer: undefined;
  };
  /** Enables or disables a licensed feature */
  'PATCH /api/admin/feature/{id}/tenant/{tenantId}': {
    params: { id: string; tenantId: string };
    body: ChangeFeatureTenantBody;
    answer: FeatureSwitch;
  };
  /** Changes name, unit or quantity of an item of a multidimensional dataset */
  'PATCH /api/md/dataset/{id}/item/{index}': {
    params: { id: string; index: string };
    body: MdItemChange;
    answer: MultidimensionalDataset | TransferSummary;
  };
  /** Changes the access level of a project */
  'PATCH /api/metadata/project': { body: ChangedAccessLevel; answer: Written };
  /** Creates an account */
  'POST /api/accounts': { body: CreateAccountBody; answer: Account };
  /** Activates an account: receives the form of the activation page */
  'POST /api/accounts/activation': { answer: undefined };
  /** Makes the first administrator with the token of the link that the start of the platform prints */
  'POST /api/accounts/bootstrap': { body: CreateFirstAdministratorBody; answer: CreateFirstAdministratorAnswer };
  /** Sets a new password: receives the form of the page */
  'POST /api/accounts/password': { answer: undefined };
  /** Sends a mail to set a new password */
  'POST /api/accounts/passwordreset': { body: string; answer: undefined };
  /** Registers an account and sends a mail to activate it */
  'POST /api/accounts/registration': { body: RegisterAccountBody; answer: undefined };
  /** Checks credentials like a login and returns the account, without tokens */
  'POST /api/accounts/validation': { body: ValidateCredentialsBody; answer: Account | OtpRequired };
  /** Starts a sweep of blobs now */
  'POST /api/admin/blob-store/sweep': { body: SweepBlobStoreBody; answer: SweepBlobStoreAnswer };
  /** Starts a verification of blobs now */
  'POST /api/admin/blob-store/verify': { body: VerifyBlobStoreBody; answer: BlobVerification };
  /** Runs a cron job now */
  'POST /api/admin/cron/{name}/run': { params: { name: string }; answer: RunCronJobAnswer };
  /** Retries all failed transfers of a group, each once and at a limited rate */
  'POST /api/admin/failure/{fingerprint}/retry': {
    params: { fingerprint: string };
    body: RetryFailureBody;
    answer: MassRetry;
  };
  /** Defines a feature */
  'POST /api/admin/feature': { body: DefineFeatureBody; answer: FeatureDefinition };
  /** Cancels a transfer, or removes another job that is not running from the queue */
  'POST /api/admin/job/{id}/cancel': { params: { id: string }; answer: CancelJobAnswer };
  /** Retries a failed transfer once, as its starter; lets another job run now */
  'POST /api/admin/job/{id}/retry': {
    params: { id: string };
    query: { dryRun?: boolean };
    answer: DryRun | RetryJobAnswer;
  };
  /** Stops a mass retry; transfers that it has started continue */
  'POST /api/admin/retry/{id}/stop': { params: { id: string }; answer: MassRetry };
  /** Tells what an uploaded, stored or remote file contains, and what writers would keep and lose of it */
  'POST /api/conversion/inspect': { body: InspectBody; answer: Inspection };
  /** Creates datasets from uploaded files without conversion, immediately */
  'POST /api/conversion/project/{id}/file/import-staged': {
    params: { id: string };
    body: StagedFiles;
    answer: ImportedFiles;
  };
  /** Returns a new signed address for an upload that goes on */
  'POST /api/conversion/transfer/upload-url/renew': { body: RenewUploadUrlBody; answer: RenewUploadUrlAnswer };
  /** Cancels a transfer */
  'POST /api/conversion/transfer/{id}/cancel': { params: { id: string }; answer: TransferSummary };
  /** Retries a failed transfer, as a new transfer */
  'POST /api/conversion/transfer/{id}/retry': {
    params: { id: string };
    query: { dryRun?: boolean };
    answer: DryRun | TransferSummary;
  };
  /** Legacy start of an import, or with appendDatasetId of an append; format names a reader or a format */
  'POST /api/conversion/upload': {
    query: { dryRun?: boolean };
    body: LegacyImportBody;
    answer: TransferSummary | DryRun;
  };
  /** Starts a transfer that makes a dataset of an uploaded or remote file */
  'POST /api/conversion/upload-convert': {
    query: { dryRun?: boolean };
    body: ImportBody;
    answer: TransferSummary | DryRun;
  };
  /** Creates a webhook for events of the tenant (tenant Owners) */
  'POST /api/eventing/webhook': { body: CreateWebhookBody; answer: CreateWebhookAnswer };
  /** Delivers all events behind an offset again (tenant Owners) */
  'POST /api/eventing/webhook/{id}/replay': {
    params: { id: string };
    body: ReplayWebhookBody;
    answer: ReplayWebhookAnswer;
  };
  /** Sends a test event to a webhook and tells what its receiver answered (tenant Owners) */
  'POST /api/eventing/webhook/{id}/test': { params: { id: string }; answer: CreateWebhookTestAnswer };
  /** Creates, deletes, moves and renames paths below a project, atomically */
  'POST /api/hierarchy/project/{id}': { params: { id: string }; body: HierarchyActions; answer: ChangeHierarchyAnswer };
  /** Adds credits to a tenant */
  'POST /api/iam/credit': { query: { dryRun?: boolean }; body: CreateCreditBody; answer: CreditAmount };
  /** Returns the credits of a tenant by status and expiry */
  'POST /api/iam/credit/details': {
    query: {
      filter?: ('Available' | 'Reserved' | 'Spent' | 'Expired')[];
      at?: string;
      offset?: number;
      limit?: number;
    };
    body: CreateCreditDetailBody;
    answer: CreditDetailList;
  };
  /** Returns the credits of a tenant by status, with project and operation */
  'POST /api/iam/credit/details/extended': {
    query: {
      filter?: ('Available' | 'Reserved' | 'Spent' | 'Expired')[];
      at?: string;
      offset?: number;
      limit?: number;
    };
    body: CreateCreditDetailExtendedBody;
    answer: ExtendedCreditDetailList;
  };
  /** Books expired credits now */
  'POST /api/iam/credit/expire': { query: { dryRun?: boolean }; answer: ExpiredCredits };
  /** Returns the credits of the generic pool by status */
  'POST /api/iam/credit/unassigned': {
    query: { filter?: ('Available' | 'Reserved' | 'Spent' | 'Expired')[]; at?: string };
    body: CreateCreditUnassignedBody;
    answer: CreditBalanceList;
  };
  /** Returns the credits of the generic pool by status and expiry */
  'POST /api/iam/credit/unassigned/details': {
    query: {
      filter?: ('Available' | 'Reserved' | 'Spent' | 'Expired')[];
      at?: string;
      offset?: number;
      limit?: number;
    };
    body: CreateCreditUnassignedDetailBody;
    answer: CreditDetailList;
  };
  /** Accepts an invitation: the caller becomes a member of the project */
  'POST /api/iam/invitation/accept': { body: AcceptInvitation; answer: AcceptedInvitation };
  /** Creates an API key; only this answer contains it */
  'POST /api/iam/key': { body: CreateKeyBody; answer: NewApiKey };
  /** Creates a tenant */
  'POST /api/iam/tenant': { body: CreateTenantBody; answer: Tenant };
  /** Adds a member to a tenant or changes the member's role */
  'POST /api/iam/tenant/{id}/member': { params: { id: string }; body: SetTenantMemberBody; answer: TenantMember };
  /** Returns values of elements of a multidimensional dataset over time, in a compact form */
  'POST /api/md/dataset/{id}/binary-query-timeseries': {
    params: { id: string };
    body: MdBinaryQuery;
    answer: undefined;
  };
  /** Returns values of elements of a multidimensional dataset, step by step, in a compact form */
  'POST /api/md/dataset/{id}/binary-query-timesteps': {
    params: { id: string };
    body: MdBinaryQuery;
    answer: undefined;
  };
  /** Returns values of elements of a multidimensional dataset over time */
  'POST /api/md/dataset/{id}/query-timeseries': { params: { id: string }; body: MdQuery; answer: MdTimeseries };
  /** Returns values of elements of a multidimensional dataset, step by step */
  'POST /api/md/dataset/{id}/query-timesteps': { params: { id: string }; body: MdQuery; answer: MdTimesteps };
  /** Starts a transfer that adds what is in an uploaded file to what a dataset holds */
  'POST /api/metadata/dataset/{id}/append': {
    params: { id: string };
    query: { dryRun?: boolean };
    body: AppendBody;
    answer: TransferSummary | DryRun;
  };
  /** Starts a transfer that makes a dataset of another one */
  'POST /api/metadata/dataset/{id}/convert': {
    params: { id: string };
    query: { dryRun?: boolean };
    body: ConvertBody;
    answer: TransferSummary | DryRun;
  };
  /** Starts a transfer that copies a dataset into another tenant */
  'POST /api/metadata/dataset/{id}/copy': {
    params: { id: string };
    query: { dryRun?: boolean };
    body: CopyDatasetBody;
    answer: TransferSummary | DryRun;
  };
  /** Legacy start of an export; format names a writer or a format */
  'POST /api/metadata/dataset/{id}/download': {
    params: { id: string };
    query: { dryRun?: boolean };
    body: LegacyExportBody;
    answer: TransferSummary | DryRun;
  };
  /** Starts a transfer that makes a file of a dataset, for downloading */
  'POST /api/metadata/dataset/{id}/download-convert': {
    params: { id: string };
    query: { dryRun?: boolean };
    body: ExportBody;
    answer: TransferSummary | DryRun;
  };
  /**
   * Starts a transfer that moves a dataset into another tenant; before version 4, moves it within its tenant at
   * once
   */
  'POST /api/metadata/dataset/{id}/move': {
    params: { id: string };
    query: { dryRun?: boolean };
    body: MoveDatasetBody;
    answer: (TransferSummary | DryRun) | undefined;
  };
  /** Revokes all signed addresses of a dataset */
  'POST /api/metadata/dataset/{id}/revoke-grants': { params: { id: string }; answer: undefined };
  /** Makes a link by which anybody who has it sees the dataset; only this answer contains the address */
  'POST /api/metadata/dataset/{id}/share': { params: { id: string }; body: NewShareBody; answer: NewShare };
  /** Starts a transfer that replaces what a dataset holds by an uploaded or remote file */
  'POST /api/metadata/dataset/{id}/update': {
    params: { id: string };
    query: { dryRun?: boolean };
    body: UpdateBody;
    answer: TransferSummary | DryRun;
  };
  /** Starts a transfer that replaces what a dataset holds by what another one holds */
  'POST /api/metadata/dataset/{sourceId}/update/{targetId}': {
    params: { sourceId: string; targetId: string };
    query: { dryRun?: boolean };
    body: UpdateFromBody;
    answer: TransferSummary | DryRun;
  };
  /** Creates a root project */
  'POST /api/metadata/project': { body: NewProject; answer: Project };
  /** Invites an e-mail address or a login id to a project */
  'POST /api/metadata/project/{id}/invitation': { params: { id: string }; body: NewInvitation; answer: Invitation };
  /** Adds a member or changes a member's role */
  'POST /api/metadata/project/{id}/member': {
    params: { id: string };
    body: SetProjectMemberBody;
    answer: ProjectMember;
  };
  /** Moves a subproject and its descendants within the same root project */
  'POST /api/metadata/project/{id}/move': { params: { id: string }; body: Target; answer: undefined };
  /** Revokes all signed addresses of a project */
  'POST /api/metadata/project/{id}/revoke-grants': { params: { id: string }; answer: undefined };
  /** Creates a subproject; with `inheritsMembers`, a folder with the members of its parent */
  'POST /api/metadata/project/{id}/subproject': { params: { id: string }; body: NewProject; answer: Project };
  /** Tries again to read a dataset whose preview has failed */
  'POST /api/preview/dataset/{id}/retry': { params: { id: string }; answer: RetryPreviewAnswer };
  /** Restores a dataset into another project */
  'POST /api/recycle-bin/dataset/{id}/restore': {
    params: { id: string };
    body: RestoreRecycleBinDatasetElsewhereBody;
    answer: undefined;
  };
  /** Restores a project below another project or as a root project */
  'POST /api/recycle-bin/project/{id}/restore': {
    params: { id: string };
    body: RestoreRecycleBinProjectElsewhereBody;
    answer: undefined;
  };
  /** Restores a dataset into another project */
  'POST /api/recycle-bin/project/{projectId}/dataset/{id}/restore': {
    params: { projectId: string; id: string };
    body: RestoreRecycleBinProjectDatasetElsewhereBody;
    answer: undefined;
  };
  /** Starts a conversion of the dataset of a link to a file of another format */
  'POST /api/share/{token}/convert': { params: { token: string }; body: ConvertSharedBody; answer: SharedConversion };
  /** Logs in */
  'POST /api/tokens': { body: SignInBody; answer: Tokens | AccessToken | OtpRequired };
  /** Rotates the signing keys: the next key becomes the current one */
  'POST /api/tokens/keys/rotate': { answer: SigningKeys };
  /** Creates recovery codes, each of which replaces a one-time password once */
  'POST /api/tokens/otp/recovery-codes': { body: Credentials; answer: CreateRecoveryCodesAnswer };
  /** Returns the setup code of your authenticator, to scan or to type */
  'POST /api/tokens/otp/registration': { body: Credentials; answer: RegisterAuthenticatorAnswer };
  /** Exchanges a refresh token for new tokens; it works once */
  'POST /api/tokens/refresh': { body: string; answer: Tokens };
  /** Ends the login of a refresh token */
  'POST /api/tokens/revocation': { body: string; answer: RevokeTokenAnswer };
  /** Logs a browser in */
  'POST /api/tokens/session': { body: StartSessionBody; answer: AccessToken | OtpRequired };
  /** Checks whether an access token is valid */
  'POST /api/tokens/validation': { body: string; answer: ValidateTokenAnswer };
  /** Starts a transfer that makes a dataset of an uploaded or remote file */
  'POST /api/transfer/upload-convert': {
    query: { dryRun?: boolean };
    body: ImportBody;
    answer: TransferSummary | DryRun;
  };
  /** Creates a dataset of time series */
  'POST /api/ts/dataset': { body: NewTimeSeriesDataset; answer: TimeSeriesDataset };
  /** Adds a time series to a dataset */
  'POST /api/ts/dataset/{id}/timeseries': { params: { id: string }; body: NewTimeSeries; answer: TimeSeries };
  /** Finds time series by their item and their properties */
  'POST /api/ts/dataset/{id}/timeseries/query': {
    params: { id: string };
    body: TimeSeriesQuery;
    answer: TimeSeriesList;
  };
  /** Returns the values of several time series */
  'POST /api/ts/dataset/{id}/timeseries/values': {
    params: { id: string };
    query: { from?: string; to?: string; f?: 'json' | 'netcdf' | 'parquet' | 'csv' };
    body: TimeSeriesIds;
    answer: ValuesOfTimeSeries;
  };
  /** Writes values from CSV into a time series */
  'POST /api/ts/dataset/{id}/timeseries/{tsId}/upload/csv': {
    params: { id: string; tsId: string };
    query: {
      datetimeIndex?: number;
      valueIndex?: number;
      flagIndex?: number;
      delimiter?: string;
      decimalSeparator?: string;
    };
    answer: undefined;
  };
  /** Writes values from rows of JSON into a time series */
  'POST /api/ts/dataset/{id}/timeseries/{tsId}/upload/json': {
    params: { id: string; tsId: string };
    body: unknown[][];
    answer: undefined;
  };
  /** Creates a group */
  'POST /api/usergroups': { body: GroupBody; answer: Group };
  /** Adds a user to groups */
  'POST /api/usergroups/user/{userId}': { params: { userId: string }; body: string[]; answer: undefined };
  /** Previews second-factor entries of a group */
  'POST /api/usergroups/{id}/second-factor/preview': {
    params: { id: string };
    body: SecondFactorEntries;
    answer: SecondFactorPreview;
  };
  /** Updates an account */
  'PUT /api/accounts': { body: ReplaceAccountBody; answer: Account };
  /** Activates a registered account with the token of its mail */
  'PUT /api/accounts/activation': { query: { token: string }; answer: undefined };
  /** Updates the contact data and password of your account */
  'PUT /api/accounts/me': { body: ReplaceOwnAccountBody; answer: Account };
  /** Sets a new password with the token of a mail */
  'PUT /api/accounts/password': { query: { token: string }; body: string; answer: undefined };
  /** Drains all workers, those of a host, or one: they take no new transfers */
  'PUT /api/admin/drain': { body: DrainWorkersBody; answer: DrainWorkersAnswer };
  /** Updates a feature */
  'PUT /api/admin/feature/{id}': {
    params: { id: string };
    body: ReplaceFeatureDefinitionBody;
    answer: FeatureDefinition;
  };
  /** Licenses a feature to a tenant */
  'PUT /api/admin/feature/{id}/tenant/{tenantId}/license': {
    params: { id: string; tenantId: string };
    answer: undefined;
  };
  /** Pauses new work, or lets workers take it again */
  'PUT /api/admin/pause': { body: SetPauseBody; answer: Pause };
  /** Writes a blob, a block, or a block list */
  'PUT /api/blob/{area}/{name}': {
    params: { area: string; name: string };
    query: {
      sv?: string;
      sr?: string;
      sp?: string;
      se?: string;
      si?: string;
      sig?: string;
      comp?: 'block' | 'blocklist';
      blockid?: string;
    };
    answer: undefined;
  };
  /** Moves credits between tenants, or from or to the generic pool */
  'PUT /api/iam/credit/move': { query: { dryRun?: boolean }; body: MoveCreditBody; answer: CreditAmount };
  /** Ends the reservation of an operation */
  'PUT /api/iam/credit/release': { query: { dryRun?: boolean }; body: ReplaceCreditReleaseBody; answer: CreditAmount };
  /** Reserves credits for an operation */
  'PUT /api/iam/credit/reserve': {
    query: { dryRun?: boolean };
    body: ReplaceCreditReserveBody;
    answer: CreditReservation;
  };
  /** Spends credits */
  'PUT /api/iam/credit/spend': { query: { dryRun?: boolean }; body: ReplaceCreditSpendBody; answer: CreditAmount };
  /** Updates a tenant */
  'PUT /api/iam/tenant/{id}': { params: { id: string }; body: ReplaceTenantBody; answer: Tenant };
  /** Updates a project */
  'PUT /api/metadata/project': { body: ChangedProject; answer: Project };
  /** Updates the record of a dataset */
  'PUT /api/metadata/project/{id}/dataset': { params: { id: string }; body: ChangedDataset; answer: Dataset };
  /** Replaces the members of a project; a subproject stops inheriting */
  'PUT /api/metadata/project/{id}/member': { params: { id: string }; body: ChangedMembers; answer: Written };
  /** Replaces the members of a project; a subproject stops inheriting */
  'PUT /api/metadata/project/{id}/members': { params: { id: string }; body: ChangedMembers; answer: Written };
  /** Deletes the members of a subproject and lets it inherit those of its parent */
  'PUT /api/metadata/project/{id}/members/inherit': { params: { id: string }; body: InheritMembers; answer: Written };
  /** Sets the thumbnail of a project (PNG, JPEG or WEBP, up to 1 MiB); an empty one deletes it */
  'PUT /api/metadata/project/{id}/thumbnail': { params: { id: string }; body: Thumbnail; answer: undefined };
  /** Sets the item and colours with which the preview of a dataset begins */
  'PUT /api/preview/dataset/{id}/scheme': { params: { id: string }; body: KeptPreviewScheme; answer: PreviewScheme };
  /** Restores a dataset and the deleted projects above it */
  'PUT /api/recycle-bin/dataset/{id}/restore': { params: { id: string }; answer: undefined };
  /** Restores a project and its deleted ancestors */
  'PUT /api/recycle-bin/project/{id}/restore': { params: { id: string }; answer: undefined };
  /** Restores a dataset and the deleted projects above it */
  'PUT /api/recycle-bin/project/{projectId}/dataset/{id}/restore': {
    params: { projectId: string; id: string };
    answer: undefined;
  };
  /** Renews the access token and the cookie of the session of a browser */
  'PUT /api/tokens/session': { answer: AccessToken };
  /** Adds properties that the series of a dataset may have */
  'PUT /api/ts/dataset/{id}/schema/properties': {
    params: { id: string };
    body: ChangedTimeSeriesSchema;
    answer: undefined;
  };
  /** Replaces all properties of a time series */
  'PUT /api/ts/dataset/{id}/timeseries/{tsId}': {
    params: { id: string; tsId: string };
    body: ChangedTimeSeries;
    answer: undefined;
  };
  /** Sets one property of a time series */
  'PUT /api/ts/dataset/{id}/timeseries/{tsId}/property': {
    params: { id: string; tsId: string };
    body: ChangedTimeSeriesProperty;
    answer: undefined;
  };
  /** Updates a group */
  'PUT /api/usergroups': { body: GroupChange; answer: Group };
  /** Sets which second factor a group requires of its members */
  'PUT /api/usergroups/{id}/second-factor': { params: { id: string }; body: SecondFactorChange; answer: undefined };
}
