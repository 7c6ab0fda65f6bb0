import { systemNamespace } from '../resource.ts';

/** The Secret with the setup token, which exists until the root user does. */
export const setupTokenRef = { namespace: systemNamespace, name: 'service-setup' };

/** The ConfigMap with the name of the root user; its creation decides which of two concurrent requests wins. */
export const rootUserRef = { namespace: systemNamespace, name: 'root-user' };
