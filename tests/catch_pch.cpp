// Compiled so that the precompiled header which every test program reuses has an owner.
