#include "two_jobs.c"
