// A translation unit for the precompiled header that every test program reuses.
