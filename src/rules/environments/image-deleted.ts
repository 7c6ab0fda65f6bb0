import { ServiceError } from '../../errors.ts';
import type { Release } from '../releases/kinds.ts';

/** Refuses a promotion before it changes the zone, which could only fail to start the image. */
export const imageDeleted = ({ metadata, spec }: Pick<Release, 'metadata' | 'spec'>): ServiceError =>
  new ServiceError(
    'image-deleted',
    `The image of the Release "${metadata.name}" was deleted, because many newer builds have replaced it. Promote a newer Release, or bring the code of ${spec.version} back in a new Change.`,
  );
