/** The Secret in the namespace of an org with which its builds push images. */
export const pushSecretName = 'registry-push';

/** The Secret in the namespace of a zone with which its pods pull images. */
export const pullSecretName = 'registry-pull';
