export { default as Accounts } from './accounts.tsx';
export { default as Audit } from './audit.tsx';
export { default as Features } from './features.tsx';
export { default as Groups } from './groups.tsx';
export { default as Queue } from './queue.tsx';
export { default as Settings } from './settings.tsx';
export { default as Store } from './store.tsx';
export { default as Tenants } from './tenants.tsx';
