import { expect, it } from 'vitest';
import { signInGuardViolation } from '../../../src/rules/environments/sign-in-guard.ts';

const className = 'nginx';

it('allows the controllers that are known to demand sign-in', () => {
  expect(signInGuardViolation({ className, controller: 'k8s.io/ingress-nginx' })).toBeUndefined();
  expect(signInGuardViolation({ className, controller: 'k8s.io/ingress-nginx', cluster: 'apart' })).toBeUndefined();
});

/** The name of a class says nothing: F5's controller usually has the class "nginx" too, and ignores the annotations. */
it.each([
  'nginx.org/ingress-controller',
  'traefik.io/ingress-controller',
  'haproxy.org/ingress-controller/haproxy',
  'projectcontour.io/contour',
  'ingress.k8s.aws/alb',
  'K8S.io/ingress-nginx',
  '',
])('names the controller %j, which is not known to', (controller) => {
  expect(signInGuardViolation({ className, controller })).toContain(
    `belongs to the controller ${controller}, which does not keep visitors out`,
  );
});

it('refuses a class whose controller is unknown', () => {
  expect(signInGuardViolation({ className, controller: undefined })).toContain('no Ingress class "nginx"');
  expect(signInGuardViolation({ className, controller: undefined, cluster: 'apart' })).toContain(
    'WORKLOAD_INGRESS_CONTROLLER',
  );
});
