import type { ApiDeps, App } from '../deps.ts';
import { approvePromotion } from './approve-promotion.ts';
import { cancelRelease } from './cancel-release.ts';
import { compareRelease } from './compare-release.ts';
import { getRelease } from './get-release.ts';
import { listPromotions } from './list-promotions.ts';
import { listReleaseArtifacts } from './list-release-artifacts.ts';
import { listReleases } from './list-releases.ts';
import { rejectPromotion } from './reject-promotion.ts';
import { startRelease } from './start-release.ts';

export function releases(app: App, deps: ApiDeps): void {
  listReleases(app, deps);
  startRelease(app, deps);
  getRelease(app, deps);
  compareRelease(app, deps);
  listReleaseArtifacts(app, deps);
  cancelRelease(app, deps);
  listPromotions(app);
  approvePromotion(app, deps);
  rejectPromotion(app, deps);
}
