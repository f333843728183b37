export { default as Audit } from './audit.tsx';
export { default as Credits } from './credits.tsx';
export { default as Features } from './features.tsx';
export { default as Keys } from './keys.tsx';
export { default as Members } from './members.tsx';
export { default as Webhooks } from './webhooks.tsx';
