import { activityRoute } from './pages/activity/route.ts';
import { boardRoute } from './pages/board/route.ts';
import { changeRoute } from './pages/change/route.ts';
import { changesRoute } from './pages/changes/route.ts';
import { newProductRoute } from './pages/new-product/route.ts';
import { domainRoute } from './pages/domain/route.ts';
import { domainsRoute } from './pages/domains/route.ts';
import { incidentRoute } from './pages/incident/route.ts';
import { incidentsRoute } from './pages/incidents/route.ts';
import { newZoneRoute } from './pages/new-zone/route.ts';
import { diffRoute } from './pages/diff/route.ts';
import { evidenceRoute } from './pages/evidence/route.ts';
import { guideRoute, helpRoute } from './pages/help/route.ts';
import { deviceRoute } from './pages/device/route.ts';
import { productRoute } from './pages/product/route.ts';
import { productSettingsRoute } from './pages/product-settings/route.ts';
import { productsRoute } from './pages/products/route.ts';
import { referenceRoute } from './pages/reference/route.ts';
import { reliabilityRoute } from './pages/reliability/route.ts';
import { releaseRoute } from './pages/release/route.ts';
import { releasesRoute } from './pages/releases/route.ts';
import { settingsRoutes } from './pages/settings/route.ts';
import { setupRoute } from './pages/setup/route.ts';
import { signInRoute } from './pages/sign-in/route.ts';
import { waitingRoute } from './pages/waiting/route.ts';
import { zoneSettingsRoute } from './pages/zone-settings/route.ts';
import { zoneRoute } from './pages/zone/route.ts';
import { root, signedIn } from './shell/parents.tsx';

/** Every page with its path. */
export const routeTree = root.addChildren([
  signInRoute,
  setupRoute,
  referenceRoute,
  signedIn.addChildren([
    waitingRoute,
    deviceRoute,
    productsRoute,
    newProductRoute,
    productRoute,
    boardRoute,
    helpRoute,
    guideRoute,
    productSettingsRoute,
    reliabilityRoute,
    changesRoute,
    activityRoute,
    changeRoute,
    releasesRoute,
    diffRoute,
    evidenceRoute,
    releaseRoute,
    zoneRoute,
    zoneSettingsRoute,
    newZoneRoute,
    incidentsRoute,
    incidentRoute,
    domainsRoute,
    domainRoute,
    ...settingsRoutes,
  ]),
]);
