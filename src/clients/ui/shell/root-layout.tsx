import { Outlet } from '@tanstack/react-router';
import { Announcer } from './announcer.tsx';

export const RootLayout = () => (
  <>
    <Outlet />
    <Announcer />
  </>
);
