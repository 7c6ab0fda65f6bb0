export { createIssue } from './catalog/create-issue.ts';
export { deleteProduct } from './catalog/delete-product.ts';
export { labelIssue } from './catalog/label-issue.ts';
export { resolveConflicts } from './changes/resolve-conflicts.ts';
export { routeDelivery } from './changes/route-delivery.ts';
export { runAgentWorkflow } from './changes/run-agent-workflow.ts';
export { keepEnvironment } from './environments/keep-environment.ts';
export { promoteRelease } from './releases/promote-release.ts';
