import type { Glossary } from './entry.ts';

/** Features that tenants license. */
export const LICENSING: Glossary = {
  'FeatureDefinition.featureId': ['Id of the feature.', '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10'],
  'LicensedFeature.featureId': ['Id of the feature.', '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10'],
  'FeatureDefinition.name': ['Name of the feature.', 'Map viewer'],
  'LicensedFeature.name': ['Name of the feature.', 'Map viewer'],
  'FeatureDefinition.type': ['Type of the feature.', 'Application'],
  'LicensedFeature.type': ['Type of the feature.', 'Application'],
  'FeatureDefinition.url': ['Address of the application.', 'https://maps.example'],
  'LicensedFeature.url': ['Address of the application.', 'https://maps.example'],
  responseUrl: ['Address that a login returns to.', 'https://maps.example/login'],
  featureType: ['Only features of this type.', 'Service'],
  'LicensedFeature.enabled': ['Whether the tenant has enabled it.', true],
  'FeatureSwitch.enabled': ['Whether the tenant has enabled it.', true],
  'ChangeFeatureTenantBody.enabled': ['Whether the tenant uses the feature.', true],
  'DefineFeatureBody.type': ['Type of the feature.', 'Application'],
  'ReplaceFeatureDefinitionBody.type': ['Type of the feature.', 'Application'],
};
