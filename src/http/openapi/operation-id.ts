/** First path segments that are not part of the name: services and groups of services. */
const PREFIXES = new Set(['api', 'metadata', 'conversion', 'iam', 'admin', 'eventing', 'security', 'data', 'crs']);
/** Last path segments that are verbs. */
const VERBS = new Set(
  'append cancel convert copy download download-convert import-staged inherit move refresh replay restore retry rotate run stop update upload upload-convert'.split(
    ' ',
  ),
);
const METHODS: Record<string, string> = {
  GET: 'get',
  HEAD: 'inspect',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'change',
  DELETE: 'delete',
};

/** Exceptions from the rule, for better or unique names. */
const NAMES: Record<string, string> = {
  'GET /': 'getWelcome',
  'GET /docs/guide': 'openGuide',
  'GET /docs/guide/{page}': 'getGuidePage',
  'GET /.well-known/jwks.json': 'listPublicKeys',
  'GET /metrics': 'getMetrics',
  'GET /api/admin/feature': 'listFeatureDefinitions',
  'POST /api/admin/feature': 'defineFeature',
  'PUT /api/admin/feature/{id}': 'replaceFeatureDefinition',
  'DELETE /api/admin/feature/{id}': 'deleteFeatureDefinition',
  'GET /api/admin/feature/tenant/list': 'listLicensedFeatures',
  'GET /api/tiles/dataset/{id}/scheme/{schemeId}/empty-tile': 'getEmptyTileWithHyphen',
  'GET /api/accounts': 'listAccounts',
  'GET /api/accounts/count': 'countAccounts',
  'GET /api/accounts/me': 'getOwnAccount',
  'PUT /api/accounts/me': 'replaceOwnAccount',
  'POST /api/accounts/registration': 'registerAccount',
  'PUT /api/accounts/activation': 'activateAccount',
  'GET /api/accounts/activation': 'showActivationPage',
  'POST /api/accounts/activation': 'submitActivationPage',
  'GET /api/accounts/password': 'showPasswordPage',
  'POST /api/accounts/password': 'submitPasswordPage',
  'POST /api/accounts/passwordreset': 'requestPasswordReset',
  'PUT /api/accounts/password': 'resetPassword',
  'GET /api/accounts/passwordpolicy': 'getPasswordPolicy',
  'POST /api/accounts/validation': 'validateCredentials',
  'GET /api/account/list': 'listAccountsLegacy',
  'GET /api/usergroups': 'listGroups',
  'GET /api/audit/list': 'listAuditEntries',
  'POST /api/usergroups': 'createGroup',
  'PUT /api/usergroups': 'replaceGroup',
  'GET /api/usergroups/count': 'countGroups',
  'GET /api/usergroups/ids': 'listGroupIds',
  'GET /api/usergroups/{id}': 'getGroup',
  'DELETE /api/usergroups/{id}': 'deleteGroup',
  'POST /api/usergroups/user/{userId}': 'addUserToGroups',
  'DELETE /api/usergroups/user/{userId}': 'removeUserFromGroups',
  'GET /api/usergroups/{id}/second-factor': 'getGroupSecondFactor',
  'PUT /api/usergroups/{id}/second-factor': 'setGroupSecondFactor',
  'POST /api/usergroups/{id}/second-factor/preview': 'previewGroupSecondFactor',
  'GET /api/iam/tenant': 'listTenants',
  'GET /api/iam/tenant/my': 'listMyTenants',
  'GET /api/iam/tenant/{id}/member': 'listTenantMembers',
  'POST /api/iam/tenant/{id}/member': 'setTenantMember',
  'GET /api/iam/key': 'listKeys',
  'GET /api/iam/principal/me': 'getPrincipal',
  'POST /api/tokens': 'signIn',
  'POST /api/tokens/revocation': 'revokeToken',
  'POST /api/tokens/validation': 'validateToken',
  'GET /api/tokens/keys': 'listSigningKeys',
  'POST /api/tokens/keys/rotate': 'rotateSigningKeys',
  'GET /api/tokens/family': 'listLogins',
  'DELETE /api/tokens/family': 'endLogins',
  'DELETE /api/tokens/family/{id}': 'endLogin',
  'GET /api/tokens/explain': 'explainLogin',
  'POST /api/tokens/otp/registration': 'registerAuthenticator',
  'POST /api/tokens/otp/recovery-codes': 'createRecoveryCodes',
  'GET /api/tokens/otp': 'getOwnSecondFactor',
  'GET /api/tokens/otp/{id}': 'getSecondFactor',
  'DELETE /api/tokens/otp/{id}': 'resetSecondFactor',
  'PATCH /api/metadata/project': 'setProjectAccessLevel',
  'GET /api/metadata/project/{id}/member': 'listProjectMembers',
  'POST /api/metadata/project/{id}/member': 'setProjectMember',
  'PUT /api/metadata/project/{id}/members/inherit': 'inheritProjectMembers',
  'GET /api/metadata/project/{id}/offset-list-recursive': 'listProjectDescendants',
  'GET /api/metadata/project/{id}/dataset/recursive-list': 'listProjectDatasetsRecursively',
  'PUT /api/metadata/project/{id}/dataset': 'replaceDataset',
  'DELETE /api/project/{projectId}/dataset/{id}': 'deleteProjectDatasetLegacy',
  'POST /api/metadata/dataset/{id}/revoke-grants': 'revokeDatasetGrants',
  'POST /api/metadata/project/{id}/revoke-grants': 'revokeProjectGrants',
  'POST /api/hierarchy/project/{id}': 'changeHierarchy',
  'GET /api/security/sastoken': 'getSasToken',
  'GET /api/raw/dataset/{id}': 'getDatasetDownloadUrl',
  'GET /api/raw/staging-urls': 'listStagingUrls',
  'GET /api/filesync/prepare-download': 'prepareDownload',
  'GET /api/conversion/transfer/upload-url': 'getUploadUrl',
  'GET /api/metadata/dataset/{id}': 'getDataset',
  'POST /api/metadata/dataset/{sourceId}/update/{targetId}': 'updateDatasetFromDataset',
  'POST /api/conversion/upload': 'uploadLegacy',
  'POST /api/metadata/dataset/{id}/download': 'downloadDatasetLegacy',
  'GET /api/metadata/project/{id}/subprojects': 'listSubprojectsWithMembers',
  'GET /api/project/{id}/subprojects': 'listSubprojectsLegacy',
  'GET /api/metadata/project/{id}/subproject/list': 'listSubprojects',
  'GET /api/metadata/project/{id}/subproject/offset-list': 'listSubprojectsByOffset',
  'POST /api/metadata/project/{id}/subproject': 'createSubproject',
  'GET /api/eventing/webhook': 'listWebhooks',
  'GET /api/data/services': 'listServices',
  'GET /api/services/{name}/baseuri': 'getServiceBaseUri',
  'GET /api/recycle-bin/my-deleted-items': 'listMyDeletedItems',
  'GET /api/recycle-bin/all-deleted-items': 'listAllDeletedItems',
  'GET /api/recycle-bin/project/{id}/subprojects': 'listDeletedSubprojects',
  'GET /api/gis/dataset/{id}': 'describeFeatures',
  'GET /api/gis/dataset/{id}/feature': 'listFeatures',
  'GET /api/gis/dataset/{id}/feature/{featureId}': 'getFeature',
  'GET /api/gis/dataset/{id}/ogc': 'getFeatureService',
  'GET /api/gis/dataset/{id}/ogc/conformance': 'getFeatureConformance',
  'GET /api/gis/dataset/{id}/ogc/api': 'getFeatureApi',
  'GET /api/gis/dataset/{id}/ogc/collections': 'listFeatureCollections',
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}': 'getFeatureCollection',
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/schema': 'getFeatureCollectionSchema',
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/queryables': 'getFeatureQueryables',
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/feature-schema': 'getFeatureSchema',
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/items': 'listCollectionFeatures',
  'GET /api/gis/dataset/{id}/ogc/collections/{collectionId}/items/{featureId}': 'getCollectionFeature',
  'GET /api/crs/coordinate-system/authority': 'listCoordinateSystemAuthorities',
  'GET /api/admin/cron': 'listCronJobs',
  'POST /api/admin/cron/{name}/run': 'runCronJob',
  'GET /api/admin/job': 'listJobs',
  'GET /api/admin/failure': 'listFailures',
  'GET /api/admin/retry': 'listRetries',
  'GET /api/admin/worker': 'listWorkers',
  'GET /api/admin/drain': 'listDrains',
  'PUT /api/admin/drain': 'drainWorkers',
  'DELETE /api/admin/drain': 'resumeWorkers',
  'GET /api/admin/blob-store': 'getBlobStore',
  'POST /api/admin/blob-store/sweep': 'sweepBlobStore',
  'POST /api/admin/blob-store/verify': 'verifyBlobStore',
  'GET /api/admin/blob-store/damaged': 'listDamagedBlobs',
};

/** Paths for legacy clients, which have newer replacements. */
export const isLegacy = (path: string) =>
  /^\/api\/(?:project|transfer)\//.test(path) ||
  path === '/api/account/list' ||
  path === '/api/conversion/upload' ||
  path === '/api/metadata/dataset/{id}/download' ||
  path === '/api/metadata/project/{id}/subprojects';

/**
 * `operationId`, the name in generated clients: `GET /api/metadata/project/{id}/member/list` → `listProjectMembers`,
 * `POST …/dataset/{id}/copy` → `copyDataset`. Legacy paths get the suffix `Legacy`.
 */
export function operationId(method: string, path: string): string {
  const stated = NAMES[`${method} ${path}`];
  if (stated !== undefined) return stated;
  const segments = path.split('/').filter(Boolean);
  while (segments.length > 1 && PREFIXES.has(segments[0] ?? '')) segments.shift();
  const nouns = segments.filter((segment) => !segment.startsWith('{'));
  const last = segments.at(-1) ?? '';
  const name = verbAndNouns(method, nouns, last);
  return isLegacy(path) ? `${name}Legacy` : name;
}

function verbAndNouns(method: string, nouns: string[], last: string): string {
  const tail = /^(?:(offset)-)?list(?:-(.*))?$/.exec(last);
  if (tail) {
    const [, offset, summaries] = tail;
    const listed = summaries === undefined ? plural(nouns.slice(0, -1)) : [...nouns.slice(0, -1), summaries];
    return `list${pascal(listed)}${offset ? 'ByOffset' : ''}`;
  }
  if (VERBS.has(last)) {
    const verb = camel(last);
    const how = method === 'POST' && last === 'restore' ? 'Elsewhere' : '';
    return `${verb}${pascal(nouns.slice(0, -1).map(singular))}${how}`;
  }
  // PUT …/members replaces all members and differs from PUT …/member
  const one = last.startsWith('{') || method === 'POST' || nouns.length === 1;
  const named = nouns.map((noun, at) => (one || at < nouns.length - 1 ? singular(noun) : noun));
  return `${METHODS[method] ?? method.toLowerCase()}${pascal(named)}`;
}

const words = (text: string) => text.split(/[^a-zA-Z0-9]+/).filter(Boolean);
const capital = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`;
export const pascal = (segments: readonly string[]) => segments.flatMap(words).map(capital).join('');
const camel = (text: string) => {
  const joined = pascal([text]);
  return `${joined[0]?.toLowerCase()}${joined.slice(1)}`;
};
const singular = (noun: string) => noun.replace(/(?<![su])s$/, '');
const plural = (nouns: string[]) =>
  nouns.map((noun, at) => (at === nouns.length - 1 ? noun.replace(/y$/, 'ie').replace(/s?$/, 's') : singular(noun)));
