import { readdir, readFile } from 'node:fs/promises';

/** The parts of a dashboard that its tests look at. The schema of Grafana checks all others. */
export type Dashboard = {
  uid: string;
  title: string;
  templating: { list: { name: string; query: string | { query: string } }[] };
  panels: Panel[];
};
type Panel = {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
};

export const dashboardsFolder = new URL('../../deploy/chart/files/dashboards/', import.meta.url);

export async function readDashboards(): Promise<Dashboard[]> {
  const files = (await readdir(dashboardsFolder)).toSorted();
  const texts = await Promise.all(files.map(async (file) => await readFile(new URL(file, dashboardsFolder), 'utf8')));
  return texts.map((text) => JSON.parse(text) as Dashboard);
}

/** Lists the expressions of all panels, with the interval that Grafana fills in. */
export const listExpressions = (dashboards: readonly Dashboard[]): string[] =>
  dashboards
    .flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets))
    .map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
