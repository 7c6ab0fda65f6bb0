/** The Secret in the namespace of an org with which its builds push images to the registry of the installation. */
export const pushSecretName = 'registry-push';

/** The Secret with which builds push to a registry of the org. It cannot push to the registry of the installation. */
export const orgPushSecretName = 'registry-push-org';

/** The Secret in the namespace of a zone with which its pods pull images. */
export const pullSecretName = 'registry-pull';
