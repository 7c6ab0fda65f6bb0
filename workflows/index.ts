export { createIssue } from './catalog/create-issue.ts';
export { deleteProduct } from './catalog/delete-product.ts';
export { resolveConflicts } from './changes/resolve-conflicts.ts';
export { runAgentWorkflow } from './changes/run-agent-workflow.ts';
export { keepEnvironment } from './environments/keep-environment.ts';
export { takeScreenshot } from './environments/take-screenshot.ts';
export { routeDelivery } from './intake/route-delivery.ts';
export { promoteRelease } from './releases/promote-release.ts';
